/** The scripts that enrol a passkey or sign with one: the installed library, and code that joins it to the forms. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, dirname } from 'node:path';

/** A file that a page loads. */
export interface Asset {
  /** The path contains a hash of the content, so that browsers can cache it. */
  readonly path: string;
  readonly type: 'text/javascript';
  readonly text: string;
}

/** A form names its request and its options; the script submits it only with an answer. */
const ownScript = `'use strict';
for (const form of document.querySelectorAll('form[data-passkey]')) {
  const { passkey, options, failed } = form.dataset;
  const problem = form.querySelector('[role=alert]');
  const button = form.querySelector('button');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.hidden = true;
    try {
      const { startRegistration, startAuthentication } = SimpleWebAuthnBrowser;
      const start = passkey === 'enrol' ? startRegistration : startAuthentication;
      const answer = await start({ optionsJSON: JSON.parse(options) });
      form.elements.namedItem('answer').value = JSON.stringify(answer);
      form.submit();
    } catch (error) {
      problem.textContent = failed + ' (' + error.name + ')';
      problem.hidden = false;
      button.disabled = false;
    }
  });
}
`;

const toAsset = (name: string, text: string): Asset => ({
  path: `/assets/${name}-${hash('sha256', text, 'hex').slice(0, 12)}.js`,
  type: 'text/javascript',
  text,
});

/** Reads the library from the installed packages, so that nothing is loaded from other hosts. */
function readLibrary(): string {
  const place = createRequire(import.meta.url).resolve('@simplewebauthn/browser');
  return readFileSync(join(dirname(place), '../dist/bundle/index.umd.min.js'), 'utf8');
}

let read: readonly Asset[] | undefined;

/** The scripts in the order in which they are loaded. */
export const passkeyScripts = (): readonly Asset[] =>
  (read ??= [toAsset('webauthn', readLibrary()), toAsset('passkey', ownScript)]);
