/**
 * The script of every page: it updates figures, counts ticked boxes and handles a few keys. Every page works without
 * it, and no key approves anything.
 */

const refreshEveryMs = 2000;
const lost = document.querySelector('[data-lost]');
const regions = () => [...document.querySelectorAll('[data-live]')];
/** The counts of the frame: fresh where the page is, though they keep no page listening. */
const counts = () => [...document.querySelectorAll('[data-count]')];

// ---------------------------------------------------------------- ticked boxes

const boxes = () => [...document.querySelectorAll('input[type=checkbox][form=choice]')];

function countChosen() {
  const sum = document.querySelector('.chosen');
  if (sum === null) return;
  const ticked = boxes().filter((box) => box.checked);
  const satang = ticked.reduce((total, box) => total + BigInt(box.dataset.satang), 0n);
  const whole = String(satang / 100n).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
  const baht = `${whole}.${String(satang % 100n).padStart(2, '0')}`;
  sum.textContent =
    ticked.length === 0 ? '' : `${ticked.length} ${sum.dataset.chosen} · ${baht} ${sum.dataset.baht}`;
  document.querySelector('#choice .main').disabled = ticked.length === 0;
}

document.addEventListener('change', (event) => {
  if (event.target.matches('input[form=choice]')) countChosen();
});
countChosen();

// ---------------------------------------------------------------- fresh figures

/** Tells whether a person is typing in a region, or has selected text; such a region stays as it is. */
function isInUse(region) {
  if (getSelection()?.isCollapsed === false) return true;
  const { activeElement } = document;
  return (
    region.contains(activeElement) && activeElement.matches('input:not([type=checkbox]), textarea, select')
  );
}

/** The typed values, by the name of their field. */
const typedIn = (region) =>
  new Map(
    [...region.querySelectorAll('textarea, input:not([type=hidden], [type=checkbox], [type=file])')]
      .filter((field) => field.value !== field.defaultValue)
      .map((field) => [field.name, field.value]),
  );

/** Replaces a region; ticked, typed, opened and focused elements keep their state while they remain the same. */
function replace(region, fresh) {
  if (region.innerHTML === fresh.innerHTML || isInUse(region)) return;
  const ticked = new Set(
    boxes()
      .filter((box) => box.checked)
      .map((box) => `${box.name}=${box.value}`),
  );
  const opened = [...region.querySelectorAll('details')].map((one) => one.open);
  const focused = region.contains(document.activeElement) ? document.activeElement : null;
  const [href, name] = [focused?.getAttribute('href'), focused?.getAttribute('name')];
  const typed = typedIn(region);
  region.innerHTML = fresh.innerHTML;
  for (const field of region.querySelectorAll('textarea, input'))
    if (typed.has(field.name)) field.value = typed.get(field.name);
  for (const box of boxes()) box.checked = ticked.has(`${box.name}=${box.value}`);
  for (const [place, one] of [...region.querySelectorAll('details')].entries())
    one.open = opened[place] ?? one.open;
  const again = [...region.querySelectorAll('a, input')].find(
    (one) =>
      (href !== null && href !== undefined && one.getAttribute('href') === href) ||
      (name !== null && name !== undefined && one.getAttribute('name') === name),
  );
  again?.focus();
  countChosen();
}

/** The values with which the form was sent; values typed since then were not requested yet. */
function sentFields(form) {
  const fields = new URLSearchParams();
  for (const control of form.elements) {
    const chosen =
      [...(control.options ?? [])].find((option) => option.defaultSelected) ?? control.options?.[0];
    if (control.name !== '') fields.append(control.name, chosen?.value ?? control.defaultValue ?? '');
  }
  return fields;
}

/** Requests the page again in the person's session, without extending the session. */
async function fetchAgain() {
  const headers = { 'x-live': '1' };
  const form = document.querySelector('form[data-live-form]');
  const init = form === null ? { headers } : { headers, method: 'POST', body: sentFields(form) };
  const answer = await fetch(form === null ? location.pathname : form.getAttribute('action'), init);
  if (!answer.ok || answer.redirected) throw new Error('no longer shown');
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

let latestMs = 0;
let waiting;

async function refresh() {
  waiting = undefined;
  latestMs = Date.now();
  try {
    const fresh = await fetchAgain();
    for (const region of regions()) {
      const other = fresh.querySelector(`[data-live="${region.dataset.live}"]`);
      if (other !== null) replace(region, other);
    }
    for (const count of counts()) {
      const other = fresh.querySelector(`[data-count="${count.dataset.count}"]`);
      if (other !== null && !count.contains(document.activeElement)) count.innerHTML = other.innerHTML;
    }
    const note = fresh.querySelector('[data-lost]');
    lost.dataset.mark = note.dataset.mark;
    lost.querySelector('time').replaceWith(note.querySelector('time'));
    lost.hidden = true;
  } catch {
    lost.hidden = false;
  }
}

function refreshSoon() {
  waiting ??= setTimeout(refresh, Math.max(0, latestMs + refreshEveryMs - Date.now()));
}

let stream;

/** Listens while the tab is visible: a browser has few connections. */
function listen() {
  stream?.close();
  stream = undefined;
  if (document.hidden || lost === null || regions().length === 0) return;
  stream = new EventSource('/live');
  stream.addEventListener('changed', ({ data }) => {
    if (data !== lost.dataset.mark || !lost.hidden) refreshSoon();
  });
  stream.addEventListener('error', () => {
    lost.hidden = false;
  });
}

document.addEventListener('visibilitychange', () => {
  // A new stream begins with the latest mark, so that missed changes show at once.
  listen();
});
addEventListener('pagehide', () => stream?.close());
listen();

// ---------------------------------------------------------------- keys

const help = document.querySelector('dialog#keys');
const keysSwitch = help?.querySelector('input');
const areKeysOn = () => localStorage.getItem('keys') !== 'off';
if (keysSwitch) {
  keysSwitch.checked = areKeysOn();
  keysSwitch.addEventListener('change', () =>
    localStorage.setItem('keys', keysSwitch.checked ? 'on' : 'off'),
  );
}
help?.querySelector('button')?.addEventListener('click', () => help.close());
for (const opener of document.querySelectorAll('[data-keys]')) {
  opener.hidden = false;
  opener.addEventListener('click', () => help?.showModal());
}

// The list of what waits for the person closes like a menu.
const bell = document.querySelector('details.bell');
document.addEventListener('click', ({ target }) => {
  if (bell?.open && !bell.contains(target)) bell.open = false;
});
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || !bell?.open) return;
  bell.open = false;
  bell.querySelector('summary').focus();
});

const links = () => [
  ...document.querySelectorAll('main a.open, main .q li > a, main table.rows td:first-child a'),
];
const lineOf = (element) => element?.closest('tr, li');

function move(by) {
  const all = links();
  const line = lineOf(document.activeElement);
  const place = all.findIndex((link) => link === document.activeElement || line?.contains(link));
  const next = all[place === -1 ? (by > 0 ? 0 : all.length - 1) : place + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Goes to the form of a decision; deciding itself takes a button. */
function goDecide() {
  const choice = document.querySelector('#choice');
  if (choice !== null && boxes().some((box) => box.checked)) {
    choice.requestSubmit(choice.querySelector('.main'));
    return;
  }
  const open = lineOf(document.activeElement)?.querySelector('a.open');
  if (open) {
    open.click();
    return;
  }
  const form = document.querySelector('main form.act, main .sign, main .decision, main .decisions');
  form?.scrollIntoView({ block: 'nearest' });
  form?.querySelector('textarea, select, input:not([type=hidden]), a.button, a.b, button')?.focus();
}

/** Follows the first of these links. */
const follow = (...selectors) => {
  const link = selectors.map((one) => document.querySelector(one)).find((one) => one !== null);
  link?.click();
  return link !== undefined;
};

function goBack() {
  if (!follow('main a[rel=up]', 'main .bread a', 'main .nav a')) history.back();
}

const keys = {
  '/': () => document.querySelector('input[type=search]')?.focus(),
  j: () => move(1),
  k: () => move(-1),
  x: () => lineOf(document.activeElement)?.querySelector('input[type=checkbox]')?.click(),
  d: goDecide,
  n: () => follow('main a[rel=next]'),
  u: goBack,
  '?': () => help?.showModal(),
};

document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  const isField = target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select');
  const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
  // The help opens even with keys off, because it has the switch that turns them on.
  if (isField || !isPlain || help?.open || (!areKeysOn() && key !== '?')) return;
  if (!Object.hasOwn(keys, key)) return;
  event.preventDefault();
  keys[key]();
});
