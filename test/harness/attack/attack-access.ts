/**
 * A caller without permission gets the exact error, even if the request is otherwise valid and the resource exists. These are the callers
 * whose refusal depends on the stage or on what exists there; test/law/access.test.ts sends all others to the same handlers.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { isPersonal } from '../../../shared/contract/access.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { type ErrorCode, errors } from '../../../shared/contract/errors.ts';
import { findResponseFlaw, rolesBelow } from '../law/endpoint-samples.ts';
import type { RowOptions } from '../stage/client.ts';
import type { TwoOrganizations } from './two-organizations.ts';
import { callOf } from './valid-calls.ts';

export const attackAccess = (endpoint: Endpoint, organizations: () => TwoOrganizations): void => {
  const { access } = endpoint;
  if (access === 'public') return;
  const ask = async (by: RowOptions, code: ErrorCode, details: object = {}) => {
    const { theirs, attack } = organizations();
    const result = await attack(endpoint, { ...callOf(endpoint, theirs), ...by });
    equal(findResponseFlaw(endpoint, result), undefined);
    deepEqual({ status: result.status, code: result.body.error.code }, { status: errors[code], code }, result.text);
    deepEqual(result.body.error.details, details);
  };

  test('a request without a token is refused, as problem+json if the client accepts that', async () => {
    const { theirs, attack } = organizations();
    const headers = { accept: 'application/problem+json' };
    const result = await attack(endpoint, { ...callOf(endpoint, theirs), org: theirs.id, headers });
    equal(result.headers.get('content-type'), 'application/problem+json');
    equal(result.headers.get('www-authenticate'), 'Bearer');
    const { status, code, title, requestId } = JSON.parse(result.text) as Record<string, unknown>;
    equal(result.status, 401);
    deepEqual({ status, code, title }, { status: 401, code: 'UNAUTHORIZED', title: 'Unauthorized' });
    equal(requestId, result.headers.get('x-request-id'));
  });

  if (isPersonal(access)) {
    test('an API key is refused', () => ask({ token: organizations().theirs.apiKey }, 'FORBIDDEN'));
    return;
  }

  test('the owner and the API key of another organization are refused', async () => {
    const { theirs, ours, strangersKey } = organizations();
    for (const token of [ours.owner.accessToken, strangersKey]) await ask({ token, org: theirs.id }, 'FORBIDDEN');
  });

  const { role } = access;
  const [below] = rolesBelow(role).toReversed();
  if (below !== undefined)
    test(`role ${below} is refused`, () => {
      const { id, people } = organizations().theirs;
      const details = { requiredRole: role, currentRole: below };
      return ask({ token: people[below].accessToken, org: id }, 'PERMISSION_DENIED', details);
    });

  if (access.scope !== 'people-only' && access.projects === 'named')
    test('nothing of another project exists for an API key that is limited to one', async () => {
      const { theirs, attack } = organizations();
      const whole = callOf(endpoint, theirs);
      // A plan without a project is one of all projects, which is refused before.
      const body = ['restoreTests.create', 'restoreTests.replace'].includes(endpoint.id)
        ? { projectId: theirs.ids.prj?.[0], ...(whole.body as object) }
        : whole.body;
      const result = await attack(endpoint, { ...whole, ...(body !== undefined && { body }), token: theirs.limitedKey });
      equal(result.status, 404, result.text);
    });
};
