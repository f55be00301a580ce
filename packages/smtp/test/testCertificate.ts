/**
 * The certificate and the key of test relays: `localhost` and `127.0.0.1`, signed by itself, valid until 2129. Only tests trust it.
 */

/** The key of the test relays. It protects nothing. */
export const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglo4yH4+FjSYY+cJM
z2nWWvdYvEm5zwON3g97SE1xcq+hRANCAAQFAqMtwRTa5xuGX8SDNmXmjjiYy/1z
2654pg3fqkWyuCR/VFmOctiGK3QAyQrhvo9nB56rSdZ4YmOs+Fock3w8
-----END PRIVATE KEY-----
`

/** The certificate of the test relays, and the authority that signed it. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBZjCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyOTEyMzEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAUCoy3BFNrnG4Zf
xIM2ZeaOOJjL/XPbrnimDd+qRbK4JH9UWY5y2IYrdADJCuG+j2cHnqtJ1nhiY6z4
WhyTfDyjTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
hwR/AAABMB0GA1UdDgQWBBRzF2se9k2nB+O+Ud0gPsK7mycRMTAKBggqhkjOPQQD
AgNHADBEAiB/XWghHYQnXmvxcHA0DftxghyOTxJOSJ4RVYtSPZDJJwIgabwMsn99
YCpE6INiKASnt+VyELMpgCfE/plzi1/7FTo=
-----END CERTIFICATE-----
`
