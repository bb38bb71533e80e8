/** What a browser runs to enrol a passkey, or to sign with one: the library as it was installed, and what joins it to our forms. */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, dirname } from 'node:path';

/** A file that a page loads. */
export interface Asset {
  /** Bears its contents: browsers keep it. */
  readonly path: string;
  readonly type: 'text/javascript';
  readonly text: string;
}

/** A form names what it asks for and with which options; without an answer it goes nowhere. */
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

/** Nothing comes from outside: the library stands among what is installed. */
function readLibrary(): string {
  const place = createRequire(import.meta.url).resolve('@simplewebauthn/browser');
  return readFileSync(join(dirname(place), '../dist/bundle/index.umd.min.js'), 'utf8');
}

let read: readonly Asset[] | undefined;

/** In the order in which they are loaded. */
export const passkeyScripts = (): readonly Asset[] =>
  (read ??= [toAsset('webauthn', readLibrary()), toAsset('passkey', ownScript)]);
