/** Outcomes of rules with their messages in English, as the command line prints them. */
import { inEnglish, isMessage, type Message } from '../../src/core/message.ts';

/** A value in which each message has become its English text. */
export type InWords<Value> = Value extends Message
  ? string
  : Value extends (...args: never) => unknown
    ? Value
    : Value extends object
      ? { readonly [Key in keyof Value]: InWords<Value[Key]> }
      : Value;

/** Renders every message within a value of plain objects and arrays. */
export function inWords<Value>(value: Value): InWords<Value> {
  const render = (one: unknown): unknown => {
    if (isMessage(one)) return inEnglish(one);
    if (Array.isArray(one)) return one.map(render);
    if (typeof one !== 'object' || one === null || Object.getPrototypeOf(one) !== Object.prototype)
      return one;
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, render(part)]));
  };
  return render(value) as InWords<Value>;
}
