/** Slugs derived from names: ASCII, lower case, single hyphens. */
import { Slug } from '../contract/fields.ts';
import { slugMax } from '../contract/limits.ts';

/** Letters that Unicode does not decompose into a base letter and a mark. */
const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};

/** May be empty, too short or reserved: a name need not contain a Latin letter. */
export const slugOf = (name: string): string =>
  cut(
    name
      .toLowerCase()
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^\p{ASCII}]/gu, (letter) => spelled[letter] ?? '-')
      .replace(/['.]/g, '')
      .replace(/[^a-z0-9]+/g, '-'),
    slugMax,
  );

export const isSlug = (slug: string): boolean => Slug.safeParse(slug).success;

/** A slug with a suffix, for a name whose own slug is taken or invalid. Valid if the suffix is. */
export const slugWith = (slug: string, suffix: string): string => `${cut(slug, slugMax - suffix.length - 1) || 'org'}-${suffix}`;

const cut = (text: string, max: number): string => text.replace(/^-+/, '').slice(0, max).replace(/-+$/, '');
