import type { FakeType } from '../contract/models/transform.ts';
import { fakeWords } from './fake-words.ts';

/**
 * A plausible text of a type, determined by the digest. None can reach or identify anyone: addresses of example domains, phone
 * numbers and IP addresses of ranges reserved for documentation, account numbers of banks that do not exist.
 */
export const fakeText = (type: FakeType, original: string, digest: Buffer): string =>
  generators[type]({ original, pick: picker(digest), unique: digest.toString('hex', 20, 25) });

interface Source {
  readonly original: string;
  /** A whole number below `count`. */
  readonly pick: (count: number) => number;
  /** Distinguishes values whose words are equal, with 40 bits. */
  readonly unique: string;
}

/** Numbers from the digest, two bytes each; they repeat after ten. */
const picker = (digest: Buffer): Source['pick'] => {
  let at = 0;
  return (count) => {
    const number = digest.readUInt16BE((at % 10) * 2) + Math.floor(at / 10) * 7_919;
    at += 1;
    return number % count;
  };
};

const oneOf = (words: readonly string[], pick: Source['pick']): string => words[pick(words.length)] ?? '';
const digits = (count: number, pick: Source['pick']): string => Array.from({ length: count }, () => pick(10)).join('');

const firstName = ({ pick }: Source): string => oneOf(fakeWords.firstNames, pick);
const lastName = ({ pick }: Source): string => oneOf(fakeWords.lastNames, pick);
const street = ({ pick }: Source): string => `${1 + pick(199)} ${oneOf(fakeWords.streets, pick)}`;
const city = ({ pick }: Source): string => oneOf(fakeWords.cities, pick);
const postalCode = ({ pick }: Source): string => digits(5, pick);
const pad = (number: number): string => String(number).padStart(2, '0');

const generators: Readonly<Record<FakeType, (source: Source) => string>> = {
  name: (source) => `${firstName(source)} ${lastName(source)}`,
  firstName,
  lastName,
  username: (source) => `${firstName(source).toLowerCase()}_${source.unique}`,
  email: (source) =>
    `${firstName(source)}.${lastName(source)}.${source.unique}`.toLowerCase().concat('@example.', source.pick(2) ? 'com' : 'org'),
  // 555-0100 to 555-0199 of every area code are reserved for fiction.
  phone: ({ pick }) => `+1${2 + pick(8)}${pad(pick(100))}55501${pad(pick(100))}`,
  address: (source) => `${street(source)}, ${postalCode(source)} ${city(source)}`,
  street,
  city,
  postalCode,
  country: ({ pick }) => oneOf(fakeWords.countries, pick),
  company: ({ pick }) => `${oneOf(fakeWords.companies, pick)} ${oneOf(fakeWords.companyKinds, pick)}`,
  iban: ({ unique }) => ibanOf(unique),
  creditCard: ({ unique }) => cardOf(unique),
  ip: ({ original, pick, unique }) =>
    original.includes(':')
      ? `2001:db8::${unique.slice(0, 4)}:${unique.slice(4, 8)}`
      : `${documentationNetworks[pick(documentationNetworks.length)]}.${1 + pick(254)}`,
  url: ({ unique }) => `https://example.com/${unique}`,
  date: ({ original, pick }) => {
    const day = `${1950 + pick(70)}-${pad(1 + pick(12))}-${pad(1 + pick(28))}`;
    return original.includes('T') ? `${day}T${pad(pick(24))}:${pad(pick(60))}:${pad(pick(60))}Z` : day;
  },
  text: ({ original, pick }) => {
    const count = Math.min(200, Math.max(1, Math.round(original.length / 6)));
    const words = Array.from({ length: count }, () => oneOf(fakeWords.texts, pick)).join(' ');
    return `${words.charAt(0).toUpperCase()}${words.slice(1)}${count > 3 ? '.' : ''}`;
  },
  uuid: ({ pick, unique }) => {
    const hex = (length: number): string => Array.from({ length }, () => pick(16).toString(16)).join('');
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[pick(4)]}${hex(3)}-${hex(2)}${unique}`;
  },
};

/** RFC 5737. */
const documentationNetworks = ['192.0.2', '198.51.100', '203.0.113'];

/** A German IBAN with valid check digits. No bank code begins with 0. */
const ibanOf = (unique: string): string => {
  const account = `00000000${String(BigInt(`0x${unique}`) % 10_000_000_000n).padStart(10, '0')}`;
  // D is 13 and E is 14; 00 in place of the check digits.
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${account}`;
};

/** A number with a valid Luhn digit, of the range that payment providers use for tests. */
const cardOf = (unique: string): string => {
  const number = `400000${String(BigInt(`0x${unique}`) % 1_000_000_000n).padStart(9, '0')}`;
  const sum = [...number].reduceRight((total, digit, n) => {
    const isDoubled = n % 2 === 0;
    const value = Number(digit) * (isDoubled ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${number}${(10 - (sum % 10)) % 10}`;
};
