/** What a browser does with forms and cookies, over a real port. */

export interface Shown {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** One person's browser: it keeps cookies, says where a form comes from, and follows what it is told to. */
export class Browser {
  readonly origin: string;
  readonly cookies = new Map<string, string>();
  #csrfToken = '';

  constructor(origin: string) {
    this.origin = origin;
  }

  async get(path: string): Promise<Shown> {
    return this.#send(path, { method: 'GET' });
  }

  /** As a page does that keeps itself fresh. */
  async getLive(path: string): Promise<Shown> {
    return this.#send(path, { method: 'GET', headers: { 'x-live': '1' } });
  }

  /** What the page's script listens to; it is over once it is aborted, or the server has ended it. */
  async listen(signal?: AbortSignal): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return fetch(`${this.origin}/live`, { headers: { cookie }, signal: signal ?? null });
  }

  /** @param headers in the place of those that a browser sends */
  async post(
    path: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    const body = new URLSearchParams({ _csrf: this.#csrfToken, ...fields });
    const usual = { origin: this.origin, 'sec-fetch-site': 'same-origin' };
    return this.#send(path, { method: 'POST', body, headers: { ...usual, ...headers } });
  }

  /** A form's body as it is, with the token in it. */
  async postRaw(
    path: string,
    body: (csrfToken: string) => URLSearchParams | FormData | string,
    headers = {},
  ): Promise<Shown> {
    const usual = { origin: this.origin, 'sec-fetch-site': 'same-origin' };
    return this.#send(path, {
      method: 'POST',
      body: body(this.#csrfToken),
      headers: { ...usual, ...headers },
    });
  }

  async signIn(name: string, password: string): Promise<Shown> {
    await this.get('/sign-in');
    return this.post('/sign-in', { name, password });
  }

  async #send(path: string, init: RequestInit & { readonly method: string }): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string> | undefined), cookie };
    const response = await fetch(this.origin + path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const next = response.headers.get('location');
    if (response.status === 303 && next !== null) return this.get(next);
    const text = await response.text();
    this.#csrfToken = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.#csrfToken;
    return { status: response.status, text, headers: response.headers };
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, decodeURIComponent(value));
  }
}
