/** Two organizations that have everything and nothing in common, and all that was said to the second one. */
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Scope, scopes } from '../../../shared/contract/access.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { accountOf } from '../../../shared/organization/index.ts';
import { lookup } from '../../../shared/organization/model/record.ts';
import { call, type Result, type RowOptions } from '../stage/client.ts';
import { forge } from '../stage/forge-token.ts';
import { newApiKey, newOrganization } from '../stage/organization.ts';
import { type Receiver, startReceiver } from '../stage/receiver.ts';
import { allItems, getItem, itemsOf, putItem } from '../stage/table.ts';
import { createFullOrganization, type Furnished, markedWords } from './full-organization.ts';

/** One call, and what came back. */
export interface Exchange {
  /** The row's. */
  readonly id: string;
  readonly asked: object;
  readonly result: Result<unknown>;
}

export interface TwoOrganizations {
  /** Attacked: every text it gave holds its mark. */
  readonly theirs: Furnished;
  /** Where the attacks come from. */
  readonly ours: Furnished;
  /** What must never be seen outside of theirs. */
  readonly secrets: readonly string[];
  readonly receiver: Receiver;
  readonly expiredToken: string;
  /** With every scope, of a third organization. */
  readonly strangersKey: string;
  /** Everything in the table that has to do with theirs, before the first attack. */
  readonly untouched: ReadonlyMap<string, string>;
  /** Calls a row as someone who is not of theirs, or not allowed to; everything is kept. */
  attack(endpoint: Endpoint, options: RowOptions): Promise<Result<unknown>>;
  /** Keeps a call that was made otherwise; whatever it was told of can be asked for from now on. */
  keep(asked: object, id: string, result: Result<unknown>): void;
  readonly exchanges: readonly Exchange[];
  /** How many requests the webhook of theirs had heard before the first attack. */
  readonly heardBefore: number;
  /** Gives the service account of an organization these scopes and no others. */
  setScopes(of: Furnished, permissions: readonly Scope[]): Promise<void>;
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
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const exchanges: Exchange[] = [];
  const keep: TwoOrganizations['keep'] = (asked, id, result) => {
    exchanges.push({ id, asked, result });
    if (result.status < 300) learn(ours, result.text);
  };
  return {
    theirs,
    ours,
    // The middle of a key: its ends are the same in all of them.
    secrets: [mark, theirKey.split('\n')[10] ?? mark],
    receiver,
    expiredToken: await forge(theirs.owner.accessToken, { iat: nowSeconds - 3_601, exp: nowSeconds - 1 }),
    strangersKey: await newApiKey(await newOrganization(), scopes),
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
      const account = await getItem(lookup.apiKey(accountOf(apiKey) ?? ''));
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

/** Everything in the table that names the organization; how often and when someone came is no change. */
export const itemsAbout = async (organizationId: string): Promise<ReadonlyMap<string, string>> =>
  new Map(
    (await allItems())
      .filter(({ pk }) => !/^(RATE|SEEN)#/.test(pk))
      .map((item) => [`${item.pk} ${item.sk}`, JSON.stringify(item)] as const)
      .filter(([name, text]) => name.includes(organizationId) || text.includes(organizationId)),
  );

/** What follows the making of it, deliveries above all, has happened. */
const untilQuiet = async (organizationId: string): Promise<void> => {
  const look = async () => JSON.stringify(await Promise.all([`ORG#${organizationId}`, `AUDIT#${organizationId}`].map(itemsOf)));
  const isPending = async () =>
    [...(await itemsAbout(organizationId)).values()].some((text) => text.includes('"status":"attempting"'));
  for (let before = ''; ; await pause(1_000)) {
    const now = await look();
    if (now === before && !(await isPending())) return;
    before = now;
  }
};

/** Things to ask for, some of each kind; people and organizations stay who they are. */
const learn = ({ ids }: Furnished, text: string): void => {
  for (const [id, prefix = ''] of text.matchAll(/\b([a-z]{2,3})_[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g)) {
    const known = ids[prefix];
    if (known && !['org', 'usr'].includes(prefix) && !known.includes(id) && known.length < 20) ids[prefix] = [...known, id];
  }
};
