/**
 * The description of the API taken at its word: whatever is sent to an operation, allowed by it or not, the answer is one that it lists,
 * and nothing fails. `npm run fuzz` draws more and others; `TEST_SEED=<number>` draws again what a failure printed.
 */
import { equal } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { signIn } from '../stage/person.ts';
import type { Description } from './description.ts';
import { type FuzzRequest, requestsTo, send } from './fuzz-requests.ts';
import type { TwoOrganizations } from './two-organizations.ts';

/** Of each operation. */
const runs = Number(process.env.FUZZ_RUNS ?? 4);

export const fuzz = ({ id }: Endpoint, description: () => Description, scene: () => TwoOrganizations): void => {
  test(`nothing that is sent is answered otherwise than described (${runs} requests)`, async () => {
    const { ours, keep } = scene();
    const described = description().operations.find(({ operation }) => operation.operationId === id);
    if (!described) throw new Error('it is not described');
    // Whoever else was named could become the owner, and nothing more would be let in.
    const idsOf = (prefix: string) => (prefix === 'usr' ? [ours.owner.userId] : (ours.ids[prefix] ?? []));
    const requests = requestsTo(described, description(), idsOf);
    const answered = async (request: FuzzRequest): Promise<void> => {
      // Who signs out is gone.
      const token = id === 'auth.logout' ? (await signIn()).accessToken : ours.owner.accessToken;
      const result = await send(described, request, { token, org: ours.id });
      keep(request, id, result);
      equal(description().flawOf(described, result), undefined);
    };
    await fc.assert(fc.asyncProperty(requests, answered), { numRuns: runs });
  });
};
