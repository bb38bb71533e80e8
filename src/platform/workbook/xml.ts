/**
 * Reads the XML of a workbook's parts strictly: a tolerant reader could see another table than the spreadsheet that a
 * person used.
 */

/** An element with all its content. */
export interface XmlElement {
  /**
   * Name without the prefix of the part's own namespace; elements of other namespaces keep theirs, or begin with a
   * colon.
   */
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly children: readonly XmlElement[];
  /** Text of the element itself, without that of its children. */
  readonly text: string;
}

type XmlAttributes = Readonly<Record<string, string | undefined>>;

/** XML that is not well-formed, declares a document type, or does not fit its part. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

// ---------------------------------------------------------------- content of elements

/** @throws XmlError for an unknown child element */
export function requireOnly({ name, children }: XmlElement, known: readonly string[] = []): void {
  for (const child of children)
    if (!known.includes(child.name)) throw new XmlError(`${child.name} inside ${name}`);
}

/** @throws XmlError for text where only elements are allowed */
export function requireNoText({ name, text }: Pick<XmlElement, 'name' | 'text'>): void {
  if (/[^ \n\t]/.test(text)) throw new XmlError(`text between the elements of ${name}`);
}

/**
 * Reads true and false as written by XML and by older programs.
 * @throws XmlError for anything else
 */
export function readFlag({ attributes, name }: XmlElement, flag: string): boolean {
  const value = attributes[flag];
  if (value === undefined || /^(?:0|false|off|f|)$/i.test(value)) return false;
  if (/^(?:1|true|on|t)$/i.test(value)) return true;
  throw new XmlError(`${flag} of ${name} that is neither true nor false`);
}

// ---------------------------------------------------------------- characters

/** Characters that XML cannot hold. */
const unfit = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/; // oxlint-disable-line no-control-regex
const declaredEncoding = /^<\?xml[^>]*?\bencoding\s*=\s*["']([^"']*)["']/;

/**
 * The text of a part.
 * @throws XmlError when it is not UTF-8
 */
export function decodeXml(bytes: Uint8Array): string {
  let xml: string;
  try {
    xml = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new XmlError('bytes that are no UTF-8', { cause: error });
  }
  const encoding = declaredEncoding.exec(xml)?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(encoding) || unfit.test(xml)) throw new XmlError('characters that are no UTF-8');
  return xml.includes('\r') ? xml.replaceAll(/\r\n?/g, '\n') : xml;
}

const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d+)|#x([\dA-Fa-f]+))?;?/g;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeReference(whole: string, name: string | undefined, decimal: string, hex: string): string {
  if (!whole.endsWith(';')) throw new XmlError('an "&" that begins no reference');
  if (name !== undefined) return named[name] ?? '';
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
  const isCharacter = code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  const character = isCharacter ? String.fromCodePoint(code) : '\0';
  if (unfit.test(character)) throw new XmlError('a reference to no character');
  return character;
}

const decodeText = (text: string): string =>
  text.includes('&') ? text.replaceAll(reference, decodeReference) : text;

// ---------------------------------------------------------------- tags

const [greaterThan, slash, equals, quote, apostrophe] = [0x3e, 0x2f, 0x3d, 0x22, 0x27];
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x09;
/** Characters of element and attribute names in workbooks, which are ASCII. */
const nameCodes = new Set(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:.-', (c) => c.charCodeAt(0)),
);
const isInName: readonly boolean[] = Array.from({ length: 128 }, (_, code) => nameCodes.has(code));

type TokenKind = 'start' | 'empty' | 'end' | 'text' | 'over';

const noAttributes: XmlAttributes = {};

/** Scans tags and texts in order, and holds the latest; comments and processing instructions are skipped. */
class Scanner {
  readonly #xml: string;
  #at = 0;
  /** The latest tag and its attributes. */
  tag = '';
  attributes = noAttributes;
  text = '';

  constructor(xml: string) {
    this.#xml = xml;
  }

  next(): TokenKind {
    const xml = this.#xml;
    while (this.#at < xml.length) {
      const tagAt = xml.indexOf('<', this.#at);
      if (tagAt !== this.#at) return this.#takeText(tagAt < 0 ? xml.length : tagAt);
      const next = xml[tagAt + 1];
      if (next === '/') return this.#takeEnd();
      if (next === '?') this.#skipTo('?>', 2);
      else if (next !== '!') return this.#takeStart();
      else if (xml.startsWith('<!--', tagAt)) this.#skipTo('-->', 4);
      else if (xml.startsWith('<![CDATA[', tagAt)) {
        this.text = xml.slice(tagAt + 9, this.#skipTo(']]>', 9));
        return 'text';
      } else throw new XmlError('a document type');
    }
    return 'over';
  }

  #takeText(end: number): TokenKind {
    this.text = decodeText(this.#xml.slice(this.#at, end));
    this.#at = end;
    return 'text';
  }

  /**
   * Skips to the end of a mark.
   * @param length of the mark that begins here
   * @returns the position of the closing mark
   */
  #skipTo(mark: string, length: number): number {
    const end = this.#xml.indexOf(mark, this.#at + length);
    if (end < 0) throw new XmlError('a cut end');
    this.#at = end + mark.length;
    return end;
  }

  #takeEnd(): TokenKind {
    this.#at += 2;
    this.tag = this.#takeName();
    this.#expect(this.#skipBlanks() === greaterThan);
    this.#at += 1;
    return 'end';
  }

  #takeStart(): TokenKind {
    this.#at += 1;
    this.tag = this.#takeName();
    this.attributes = noAttributes;
    for (;;) {
      const nameEnd = this.#at;
      const code = this.#skipBlanks();
      if (code === greaterThan || code === slash) break;
      this.#expect(this.#at > nameEnd);
      this.#takeAttribute();
    }
    const isEmpty = this.#xml.charCodeAt(this.#at) === slash;
    this.#at += isEmpty ? 2 : 1;
    this.#expect(this.#xml.charCodeAt(this.#at - 1) === greaterThan);
    return isEmpty ? 'empty' : 'start';
  }

  #takeAttribute(): void {
    const name = this.#takeName();
    this.#expect(this.#skipBlanks() === equals);
    this.#at += 1;
    const mark = this.#skipBlanks();
    this.#expect(mark === quote || mark === apostrophe);
    const end = this.#xml.indexOf(mark === quote ? '"' : "'", this.#at + 1);
    this.#expect(end > 0);
    const value = this.#xml.slice(this.#at + 1, end);
    this.#expect(!value.includes('<') && !Object.hasOwn(this.attributes, name));
    this.attributes = this.attributes === noAttributes ? {} : this.attributes;
    (this.attributes as Record<string, string>)[name] = decodeText(value);
    this.#at = end + 1;
  }

  #takeName(): string {
    const start = this.#at;
    while (isInName[this.#xml.charCodeAt(this.#at)] === true) this.#at += 1;
    this.#expect(/[A-Za-z_]/.test(this.#xml[start] ?? ''));
    return this.#xml.slice(start, this.#at);
  }

  /** @returns the code of the next character */
  #skipBlanks(): number {
    let code = this.#xml.charCodeAt(this.#at);
    while (isBlank(code)) {
      this.#at += 1;
      code = this.#xml.charCodeAt(this.#at);
    }
    return code;
  }

  #expect(isSo: boolean): void {
    if (!isSo) throw new XmlError(`no tag that can be read at character ${this.#at + 1}`);
  }
}

// ---------------------------------------------------------------- elements

/** The namespace of a part's root and of its own elements. */
class OwnNamespace {
  readonly #prefix: string;
  readonly #declaration: string;
  readonly #uri: string | undefined;

  constructor(tag: string, attributes: XmlAttributes) {
    this.#prefix = tag.slice(0, tag.indexOf(':') + 1);
    this.#declaration = this.#prefix === '' ? 'xmlns' : `xmlns:${this.#prefix.slice(0, -1)}`;
    this.#uri = attributes[this.#declaration];
  }

  nameOf(tag: string, attributes: XmlAttributes): string {
    if ((attributes[this.#declaration] ?? this.#uri) !== this.#uri)
      throw new XmlError(`another meaning of ${this.#declaration}`);
    if (this.#prefix === '') return tag;
    return tag.startsWith(this.#prefix) ? tag.slice(this.#prefix.length) : `:${tag}`;
  }
}

interface OpenElement extends XmlElement {
  readonly tag: string;
  children: XmlElement[];
  text: string;
}

const noChildren: XmlElement[] = [];

/** Open elements, from the root down. */
class OpenElements {
  readonly #path: OpenElement[] = [];
  readonly #rootName: string;
  #namespace: OwnNamespace | undefined;

  constructor(rootName: string) {
    this.#rootName = rootName;
  }

  /** Number of open elements. */
  get depth(): number {
    return this.#path.length;
  }

  get last(): OpenElement | undefined {
    return this.#path.at(-1);
  }

  begin({ tag, attributes }: Pick<Scanner, 'tag' | 'attributes'>): void {
    if (this.depth === 0 && this.#namespace !== undefined) throw new XmlError('a second root');
    this.#namespace ??= new OwnNamespace(tag, attributes);
    const name = this.#namespace.nameOf(tag, attributes);
    if (this.depth === 0 && name !== this.#rootName) throw new XmlError(`no ${this.#rootName}`);
    this.#path.push({ tag, name, attributes, children: noChildren, text: '' });
  }

  add(text: string): void {
    const { last } = this;
    if (last === undefined) requireNoText({ name: 'the part', text });
    else last.text = last.text === '' ? text : last.text + text;
  }

  end(tag: string): OpenElement {
    const element = this.#path.pop();
    if (element?.tag !== tag) throw new XmlError(`an end of ${tag} without its start`);
    return element;
  }

  /** @throws XmlError when the part is incomplete */
  requireOver(): void {
    if (this.depth > 0 || this.#namespace === undefined) throw new XmlError('a cut end');
  }
}

/**
 * The elements in the root, in order, each at its end.
 * @param rootName required name of the root
 * @param opened an element in the root whose children come one by one, named `opened/name`, and then itself without
 * them
 * @throws XmlError
 */
export function* readElements(xml: string, rootName: string, opened?: string): Generator<XmlElement> {
  const open = new OpenElements(rootName);
  const scanner = new Scanner(xml);
  for (let kind = scanner.next(); kind !== 'over'; kind = scanner.next()) {
    if (kind === 'text') open.add(scanner.text);
    if (kind === 'start' || kind === 'empty') open.begin(scanner);
    if (kind !== 'end' && kind !== 'empty') continue;
    const element = open.end(scanner.tag);
    const around = open.last;
    if (around === undefined) requireNoText(element);
    else if (open.depth === 1) yield element;
    else if (open.depth === 2 && around.name === opened)
      yield { ...element, name: `${opened}/${element.name}` };
    else if (around.children === noChildren) around.children = [element];
    else around.children.push(element);
  }
  open.requireOver();
}
