/**
 * Two self-signed certificates of `localhost` for tests. Each is an authority of its own, and nothing trusts them.
 */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

/** For a test in which this authority is given as an option. */
export const ownAuthority: TestCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUOgAwIBAgIUDUYYhRWjP53gH6LBNlaeyWsWdbAwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNb3duIGF1dGhvcml0eTAgFw0yNjExMjYxNDQzMTNaGA8yMTI2
MTEwMjE0NDMxM1owGDEWMBQGA1UEAwwNb3duIGF1dGhvcml0eTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABKua0EFbGbP4vi+DI42u4YYjtWsks8vTuoylp2PnEgNt
CcB7cLPwrMubVc6RX0cJihx+fX5TOVFuJo2jilpxfQGjaTBnMB0GA1UdDgQWBBQa
NBBscuwyysjKfg3L7xLm+oHr9zAfBgNVHSMEGDAWgBQaNBBscuwyysjKfg3L7xLm
+oHr9zAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAKBggq
hkjOPQQDAgNHADBEAiAWChthgqeuV/oVlkIwuj9WgWIZp9DYvg65reM9vssPTwIg
NsuZOcgQaKTEP1C4f4A6CEbGnulY6/kkZiM56vAvlUU=
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSKxhnwmPIWuEzQ+e
CJBnFgmCX6FCkd/bE95FU3njHeWhRANCAASrmtBBWxmz+L4vgyONruGGI7VrJLPL
07qMpadj5xIDbQnAe3Cz8KzLm1XOkV9HCYocfn1+UzlRbiaNo4pacX0B
-----END PRIVATE KEY-----`
}

/** For a test in which this authority is added to those that Node trusts. */
export const usualAuthority: TestCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUHolxQydZQnXTuZYBEtJK5aZjZzYwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPdXN1YWwgYXV0aG9yaXR5MCAXDTI2MTEyNjE0NDMxM1oYDzIx
MjYxMTAyMTQ0MzEzWjAaMRgwFgYDVQQDDA91c3VhbCBhdXRob3JpdHkwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAASAwuXiIr62e50vDzWX4bqIoY6ZcoMg/bgpiCs+
z/o5U0SCprCXZLtmg85VeOCkSs5kVQWoXsgzNBjikoTDPE4Bo2kwZzAdBgNVHQ4E
FgQULTyij3rsSWSBvH1phhQQmTLYWBgwHwYDVR0jBBgwFoAULTyij3rsSWSBvH1p
hhQQmTLYWBgwDwYDVR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3Qw
CgYIKoZIzj0EAwIDSAAwRQIhAOybMT0OVFa9UpSq52VczhzhfyTYtilo0L5zfbOt
LC5XAiBiZ8ywykasWBXoEwgSYqqSKdFChRNbnNa/fVjs0yBNiA==
-----END CERTIFICATE-----`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTXZ/LBKDX/0ql/DE
kLEHpN6yzzA70811OyzTxcGrZg6hRANCAASAwuXiIr62e50vDzWX4bqIoY6ZcoMg
/bgpiCs+z/o5U0SCprCXZLtmg85VeOCkSs5kVQWoXsgzNBjikoTDPE4B
-----END PRIVATE KEY-----`
}
