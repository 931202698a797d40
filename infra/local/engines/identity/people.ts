/** The users of the local identity provider. The subject of a user never changes, even if the e-mail address does. */
import { randomInt } from 'node:crypto';
import type { State } from '../../base/stage-state.ts';

export interface Person {
  /** Opaque and stable; 21 digits like Google's. */
  readonly sub: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly picture: string;
}

export interface People {
  /** Finds or creates the user with this address. */
  byEmail(email: string): Person;
  bySubject(sub: string): Person | undefined;
  /** Changes a user's profile; the subject stays. */
  change(email: string, to: Partial<Omit<Person, 'sub'>>): Person;
  all(): readonly Person[];
}

/** The first user owns the demo organization. Addresses that begin with `unverified` are unverified. */
export const demoEmails = [
  'ada@example.com',
  'grace@example.com',
  'linus@example.com',
  'margaret@example.com',
  'unverified@example.com',
];

const kind = 'identity-person';

export const openPeople = (state: State): People => {
  const people = new Map(state.all<Person>(kind).map((person) => [person.sub, person]));
  const keep = (person: Person): Person => {
    people.set(person.sub, person);
    state.set(kind, person.sub, person);
    return person;
  };
  const find = (email: string): Person | undefined => [...people.values()].find((person) => person.email === normal(email));
  const byEmail = (email: string): Person => find(email) ?? keep(invent(normal(email)));
  for (const email of demoEmails) byEmail(email);
  return {
    byEmail,
    bySubject: (sub) => people.get(sub),
    change: (email, to) => {
      const person = byEmail(email);
      return keep({ ...person, ...to, email: normal(to.email ?? person.email), sub: person.sub });
    },
    all: () => [...people.values()],
  };
};

/** Not toLowerCase, which turns the Kelvin sign into a plain k. */
const normal = (email: string): string => email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const invent = (email: string): Person => {
  const local = email.split('@')[0] ?? email;
  return {
    sub: `1${Array.from({ length: 20 }, () => randomInt(10)).join('')}`,
    email,
    emailVerified: !email.startsWith('unverified'),
    name: local
      .split(/[._+-]+/)
      .filter(Boolean)
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(' '),
    picture: `https://example.com/avatar/${encodeURIComponent(local)}.png`,
  };
};
