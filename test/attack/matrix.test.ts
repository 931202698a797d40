/**
 * Every row of the contract is attacked on the running stage, in one sweep, because a function that was called is warm for what follows. Two
 * organizations have one of everything; every text of the one is marked, and whatever the other one does, it never sees the mark.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { endpoints } from '../../shared/contract/index.ts';
import { attackAccess } from '../harness/attack/attack-access.ts';
import { attackTenancy } from '../harness/attack/attack-tenancy.ts';
import { attackWithTwins } from '../harness/attack/concurrent-calls.ts';
import { type Description, readDescription } from '../harness/attack/description.ts';
import { findLeaks } from '../harness/attack/find-leaks.ts';
import { fuzz } from '../harness/attack/fuzz.ts';
import { attackWithStolenBucket } from '../harness/attack/stolen-bucket.ts';
import { createTwoOrganizations, type TwoOrganizations } from '../harness/attack/two-organizations.ts';

let made: TwoOrganizations | undefined;
let read: Description | undefined;
const scene = (): TwoOrganizations => made as TwoOrganizations;
const description = (): Description => read as Description;
beforeAll(async () => {
  [made, read] = await Promise.all([createTwoOrganizations(), readDescription()]);
});
afterAll(() => made?.receiver.stop());

/** What takes something away comes last, and what needs that it is gone after it. */
const late = [
  'projects.remove',
  'serviceAccount.remove',
  'serviceAccount.create',
  'organizations.remove',
  'organizations.recover',
];
const rankOf = ({ id, method }: Endpoint): number => (late.includes(id) ? 2 + late.indexOf(id) : method === 'DELETE' ? 1 : 0);

for (const endpoint of [...endpoints].sort((one, other) => rankOf(one) - rankOf(other)))
  describe(endpoint.id, () => {
    attackAccess(endpoint, scene);
    attackTenancy(endpoint, scene);
    attackWithTwins(endpoint, scene);
    fuzz(endpoint, description, scene);
  });

attackWithStolenBucket(scene);
describe('afterwards', () => findLeaks(scene));
