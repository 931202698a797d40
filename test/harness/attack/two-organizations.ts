/** A victim (`theirs`) and an attacker (`ours`), both with one of every resource, and a record of all calls of the attacker. */
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Scope, scopes } from '../../../shared/contract/access.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { holderOf } from '../../../shared/organization/index.ts';
import { lookup } from '../../../shared/organization/model/record.ts';
import { call, type Result, type RowOptions } from '../stage/client.ts';
import { newOrganization, newServiceAccountKey } from '../stage/organization.ts';
import { type Receiver, startReceiver } from '../stage/receiver.ts';
import { allItems, getItem, putItem } from '../stage/table.ts';
import { createFullOrganization, type FullOrganization, markedWords } from './full-organization.ts';

/** A call and its response. */
export interface Exchange {
  /** Id of the endpoint. */
  readonly id: string;
  readonly asked: object;
  readonly result: Result<unknown>;
}

export interface TwoOrganizations {
  /** The victim: all its texts contain a mark. */
  readonly theirs: FullOrganization;
  /** The attacker. */
  readonly ours: FullOrganization;
  /** Texts that must not appear outside the victim's organization. */
  readonly secrets: readonly string[];
  readonly receiver: Receiver;
  /** API key of a third organization, with every scope. */
  readonly strangersKey: string;
  /** All items about the victim before the first attack. */
  readonly untouched: ReadonlyMap<string, string>;
  /** Makes and records a call of a caller without access to the victim. */
  attack(endpoint: Endpoint, options: RowOptions): Promise<Result<unknown>>;
  /** Records another call; ids in its response can be used by later calls. */
  keep(asked: object, id: string, result: Result<unknown>): void;
  readonly exchanges: readonly Exchange[];
  /** Number of requests to the victim's webhook before the first attack. */
  readonly heardBefore: number;
  /** Sets the scopes of an organization's service account. */
  setScopes(of: FullOrganization, permissions: readonly Scope[]): Promise<void>;
}

export const createTwoOrganizations = async (): Promise<TwoOrganizations> => {
  const receiver = await startReceiver();
  const { mark, word } = markedWords();
  const [theirKey, ourKey] = [newKey(), newKey()];
  const [theirs, ours] = await Promise.all([
    createFullOrganization(word, receiver, theirKey),
    createFullOrganization(markedWords().word, receiver, ourKey),
  ]);
  await untilQuiet(theirs.id);
  const exchanges: Exchange[] = [];
  const keep: TwoOrganizations['keep'] = (asked, id, result) => {
    exchanges.push({ id, asked, result });
    if (result.status < 300) learn(ours, result.text);
  };
  return {
    theirs,
    ours,
    // The middle of the key: all keys start and end alike.
    secrets: [mark, theirKey.split('\n')[10] ?? mark],
    receiver,
    strangersKey: await newServiceAccountKey(await newOrganization(), scopes),
    untouched: await itemsAbout(theirs.id),
    attack: async (endpoint, options) => {
      const result = await call(endpoint, options);
      exchanges.push({ id: endpoint.id, asked: options, result });
      return result;
    },
    keep,
    exchanges,
    heardBefore: receiver.requests.filter(({ path }) => path.includes(mark)).length,
    setScopes: async ({ apiKey }, permissions) => {
      const account = await getItem(lookup.fingerprint(holderOf(apiKey) ?? ''));
      if (account) await putItem({ ...account, permissions });
    },
  };
};

export const everyScope: readonly Scope[] = scopes;

const newKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

/** All items that name the organization, except rate limits, times of last use, and when its retention is due, which an hourly sweep moves. */
export const itemsAbout = async (organizationId: string): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await allItems())
      .filter(({ pk }) => !/^((RATE|SEEN)#|RETENTION$)/.test(pk))
      .map((item) => [`${item.pk} ${item.sk}`, JSON.stringify(item)] as const)
      .filter(([name, text]) => name.includes(organizationId) || text.includes(organizationId)),
  );

/**
 * What a queue delivers late comes within so many seconds: a stage that has just started still bundles functions, and their first
 * events wait for it.
 */
const quietSeconds = 45;

/** Waits until asynchronous work, such as deliveries, is done. */
const untilQuiet = async (organizationId: string): Promise<void> => {
  let before = '';
  for (let quiet = 0; quiet < quietSeconds; await pause(1_000)) {
    const now = JSON.stringify([...(await itemsAbout(organizationId))].toSorted());
    quiet = now === before && !now.includes('"status\\":\\"attempting') ? quiet + 1 : 0;
    before = now;
  }
};

/** Adds ids from a response, up to 20 of each kind, except users and organizations. */
const learn = ({ ids }: FullOrganization, text: string): void => {
  for (const [id, prefix = ''] of text.matchAll(/\b([a-z]{2,3})_[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g)) {
    const known = ids[prefix];
    if (known && !['org', 'usr'].includes(prefix) && !known.includes(id) && known.length < 20) ids[prefix] = [...known, id];
  }
};
