/**
 * Attacks every endpoint of the contract on the running stage, in one file, so that functions stay warm. Two organizations have one of
 * everything. Every text of the victim contains a mark, and no response to the attacker may contain it.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { attackAccess } from '../harness/attack/attack-access.ts';
import { attackTenancy } from '../harness/attack/attack-tenancy.ts';
import { attackConcurrently } from '../harness/attack/concurrent-calls.ts';
import { type Description, readDescription } from '../harness/attack/description.ts';
import { findLeaks } from '../harness/attack/find-leaks.ts';
import { fuzz } from '../harness/attack/fuzz.ts';
import { attackWithStolenBucket } from '../harness/attack/stolen-bucket.ts';
import { createTwoOrganizations, type TwoOrganizations } from '../harness/attack/two-organizations.ts';

let created: TwoOrganizations | undefined;
let read: Description | undefined;
const organizations = (): TwoOrganizations => created as TwoOrganizations;
const description = (): Description => read as Description;
beforeAll(async () => {
  [created, read] = await Promise.all([createTwoOrganizations(), readDescription()]);
});
afterAll(() => created?.receiver.stop());

/** Deletions and what ends the access of a caller come last; after them the endpoints that need a deleted resource. */
const last = [
  'projects.remove',
  'serviceAccount.rotateKey',
  'serviceAccount.remove',
  'serviceAccount.create',
  'organizations.leave',
  'organizations.remove',
  'organizations.recover',
];
const rankOf = ({ id, method }: Endpoint): number => (last.includes(id) ? 2 + last.indexOf(id) : method === 'DELETE' ? 1 : 0);

for (const endpoint of [...endpoints].sort((one, other) => rankOf(one) - rankOf(other)))
  describe(endpoint.id, () => {
    attackAccess(endpoint, organizations);
    attackTenancy(endpoint, organizations);
    attackConcurrently(endpoint, organizations);
    fuzz(endpoint, description, organizations);
  });

attackWithStolenBucket(organizations);
describe('after all attacks', () => findLeaks(organizations));
