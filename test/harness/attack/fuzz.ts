/**
 * Fuzzes an operation of the OpenAPI document: every response to a valid or invalid request is one that the operation lists, and none
 * is a server error. `npm run fuzz` sends more requests with a random seed; `TEST_SEED=<number>` repeats a failure.
 */
import { equal } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { signIn } from '../stage/person.ts';
import type { Description } from './description.ts';
import { type FuzzRequest, requestsTo, send } from './fuzz-requests.ts';
import type { TwoOrganizations } from './two-organizations.ts';

/** Requests per operation. */
const runs = Number(process.env.FUZZ_RUNS ?? 2);

/** A person of their own calls these, because the others' tokens must stay valid. */
const endsSessions: readonly string[] = ['auth.logout', 'sessions.revoke', 'sessions.revokeAll'];

export const fuzz = ({ id }: Endpoint, description: () => Description, organizations: () => TwoOrganizations): void => {
  test(`every response to ${runs} generated requests is as described`, async () => {
    const { ours, keep } = organizations();
    const described = description().operations.find(({ operation }) => operation.operationId === id);
    if (!described) throw new Error(`${id} is not in the OpenAPI document`);
    // Another user could become the owner, which would end the access of this one.
    const idsOf = (prefix: string) => (prefix === 'usr' ? [ours.owner.userId] : (ours.ids[prefix] ?? []));
    const requests = requestsTo(described, description(), idsOf);
    const check = async (request: FuzzRequest): Promise<void> => {
      const token = endsSessions.includes(id) ? (await signIn()).accessToken : ours.owner.accessToken;
      const result = await send(described, request, { token, org: ours.id });
      keep(request, id, result);
      equal(description().flawOf(described, result), undefined);
    };
    await fc.assert(fc.asyncProperty(requests, check), { numRuns: runs });
  });
};
