/**
 * A webhook's URL without the tokens that many services put into it, such as
 * `https://hooks.slack.com/services/T0/B0/********` or `https://example.com/hook?key=********`.
 */
import { isMasked, secretMask } from '../../platform/index.ts';
import { looksLikeCredential } from './custom-headers.ts';

/** Host and parameter names stay; values of the query, the fragment and path segments that look like tokens are masked. Idempotent. */
export const maskUrl = (url: string): string => {
  const [, origin = '', path = '', query, fragment] = /^([^/?#]*\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? [];
  const shownPath = path.split('/').map(maskIfToken).join('/');
  const shownQuery = query === undefined ? '' : `?${query.split('&').map(maskParameter).join('&')}`;
  const shownFragment = fragment === undefined ? '' : `#${fragment && secretMask}`;
  return `${origin}${shownPath}${shownQuery}${shownFragment}`;
};

/** Whether a client sent back what `maskUrl` returned, possibly percent-encoded. */
export const isMaskedUrl = (url: string): boolean => url.split(/[/?#&=]/).some((part) => isMasked(decoded(part)));

/** A parameter without a value may be a token itself. */
const maskParameter = (parameter: string): string => {
  const [name = '', ...value] = parameter.split('=');
  if (value.length === 0) return name && secretMask;
  return `${maskIfToken(name)}=${value.join('=') && secretMask}`;
};

const maskIfToken = (text: string): string => (looksLikeToken(decoded(text)) ? secretMask : text);

/** The shortest tokens of well-known services have seven characters. */
const tokenMin = 7;
const wordMax = 15;
/** In usual spelling: `hooks`, `Hooks`, `incomingWebhook` or `API`, possibly numbered. Random letters change their case more often. */
const word = /^(?:[A-Z]{1,4}|[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*)\d{0,3}$/;
const isReadable = (text: string): boolean =>
  text.split(/[-_.~]/).every((part) => (part.length <= wordMax && word.test(part)) || /^\d{0,10}$/.test(part));

/** Errs on the side of masking. */
const looksLikeToken = (text: string): boolean =>
  text.length >= tokenMin && !isMasked(text) && (looksLikeCredential(text) || !isReadable(text));

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
