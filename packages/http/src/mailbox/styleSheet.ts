/**
 * The style sheet of the mailbox: light and dark, and usable from 320 CSS pixels.
 */
export const styleSheet = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f4f5f7; --line: #c9ced6; --text: #16191d; --soft: #4d5661; --link: #0b4fb3;
  --good: #0b5c2e; --good-ground: #d9f2e2; --bad: #8c1212; --bad-ground: #fbe0e0; --wait: #6b4700; --wait-ground: #fbeecb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --panel: #1e2329; --line: #47505b; --text: #eceff3; --soft: #b0bac6; --link: #8ab8ff;
    --good: #a5e8bf; --good-ground: #123a23; --bad: #ffb9b9; --bad-ground: #4a1717; --wait: #ffdf91; --wait-ground: #453208;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header.top, main { max-width: 62rem; margin: 0 auto; padding: .75rem 1rem; }
header.top { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; border-bottom: 1px solid var(--line); }
header.top p { margin: 0; color: var(--soft); }
h1 { font-size: 1.4rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.1rem; margin: 1.25rem 0 .5rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .25rem .5rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
form.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .75rem 0; }
form.row > div { display: flex; flex-direction: column; flex: 1 1 12rem; min-width: 0; }
form.row > div.narrow { flex: 0 1 17rem; }
label { font-size: .9rem; color: var(--soft); }
input, select, button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: .3rem; padding: .35rem .6rem; max-width: 100%; min-height: 2.4rem; }
button { background: var(--panel); cursor: pointer; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
.notice { background: var(--panel); border-left: 4px solid var(--link); padding: .4rem .75rem; }
ol.mails { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
ol.mails li { border-bottom: 1px solid var(--line); }
ol.mails a { display: grid; grid-template-columns: 1fr auto; gap: .1rem 1rem; padding: .6rem .5rem; color: inherit; text-decoration: none; }
ol.mails a:hover { background: var(--panel); }
ol.mails .subject { font-weight: 600; }
ol.mails .to, ol.mails time { color: var(--soft); font-size: .9rem; }
ol.mails time, ol.mails .status { justify-self: end; }
.status { border-radius: .3rem; padding: 0 .5rem; font-size: .9rem; background: var(--panel); color: var(--text); }
.status.good { background: var(--good-ground); color: var(--good); }
.status.bad { background: var(--bad-ground); color: var(--bad); }
.status.wait { background: var(--wait-ground); color: var(--wait); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
nav.parts { display: flex; flex-wrap: wrap; gap: .25rem; border-bottom: 1px solid var(--line); margin-top: 1rem; }
nav.parts a { padding: .35rem .75rem; border: 1px solid transparent; border-bottom: 0; border-radius: .3rem .3rem 0 0; }
nav.parts a[aria-current] { background: var(--panel); border-color: var(--line); color: var(--text); font-weight: 600; text-decoration: none; }
iframe { width: 100%; height: 70vh; border: 1px solid var(--line); background: #ffffff; color-scheme: light; }
pre { background: var(--panel); border: 1px solid var(--line); padding: .75rem; overflow: auto; max-height: 70vh; white-space: pre-wrap; }
ol.history { padding-left: 1.5rem; }
ol.history li { margin: .35rem 0; }
ol.history time { color: var(--soft); font-size: .9rem; }
@media (max-width: 30rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .4rem; }
  ol.mails a { grid-template-columns: 1fr; }
  ol.mails time, ol.mails .status { justify-self: start; }
}
`
