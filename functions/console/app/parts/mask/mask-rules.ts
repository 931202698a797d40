/** Rules that mask documents, as people edit them and an address keeps them. */
import type { FakeType, TransformRule } from '../../../../../shared/contract/models/transform.ts';

type TransformName = TransformRule['transform'];

/** The words of the service; its own lists would bring its schemas into the browser. */
export const transformWords: Readonly<Record<TransformName, string>> = {
  redact: 'Redact',
  hash: 'Hash',
  fake: 'Replace with a fake',
  null: 'Set to null',
  keep: 'Keep',
};
export const transforms = Object.keys(transformWords) as readonly TransformName[];

export const fakeWords: Readonly<Record<FakeType, string>> = {
  name: 'Full name',
  firstName: 'First name',
  lastName: 'Last name',
  username: 'User name',
  email: 'E-mail address',
  phone: 'Phone number',
  address: 'Address',
  street: 'Street',
  city: 'City',
  postalCode: 'Postal code',
  country: 'Country',
  company: 'Company',
  iban: 'IBAN',
  creditCard: 'Card number',
  ip: 'IP address',
  url: 'Web address',
  date: 'Date',
  text: 'Text',
  uuid: 'UUID',
};
export const fakeTypes = Object.keys(fakeWords) as readonly FakeType[];

export const allowUnmatchedLabel = 'Allow rules that match nothing';

export interface MaskRule {
  readonly collection: string;
  readonly field: string;
  readonly transform: TransformName;
  readonly type?: FakeType | undefined;
}

export const newRule: MaskRule = { collection: '*', field: '', transform: 'redact' };

/** Undefined if there are rules that cannot be read: the copy must not be made without them. The router has parsed JSON already. */
export const readRules = (given: unknown): readonly MaskRule[] | undefined => {
  if (given === undefined) return [];
  const list = typeof given === 'string' ? parsed(given) : given;
  if (!Array.isArray(list)) return undefined;
  const rules = list.flatMap(ruleOf);
  return rules.length === list.length ? rules : undefined;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const ruleOf = (given: unknown): readonly MaskRule[] => {
  if (typeof given !== 'object' || given === null) return [];
  const { collection, field, transform, type } = given as Readonly<Record<string, unknown>>;
  const how = transforms.find((one) => one === transform);
  if (typeof collection !== 'string' || typeof field !== 'string' || !how) return [];
  return [
    { collection, field, transform: how, ...(how === 'fake' && { type: fakeTypes.find((one) => one === type) ?? 'name' }) },
  ];
};

/** A rule that is not filled in yet cannot be sent. */
export const isIncomplete = ({ collection, field }: MaskRule): boolean => collection.trim() === '' || field.trim() === '';
