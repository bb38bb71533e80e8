/** Reasons of the rules in the reader's language. */
import type { Language } from '../../core/language.ts';
import { inEnglish, isTranslated, type Message, say } from '../../core/message.ts';

/** A text with the language that it is in: one that is not paydrop's own stays as it is. */
export const sayWhy = (
  language: Language,
  why: Message,
): { readonly text: string; readonly language: Language } =>
  isTranslated(why) ? { text: say(language, why), language } : { text: inEnglish(why), language: 'en' };
