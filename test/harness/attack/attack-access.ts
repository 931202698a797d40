/** Whoever may not call a row is refused with the exact answer, although the call is right in every other way. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { type ErrorCode, errors } from '../../../shared/contract/errors.ts';
import { findResponseFlaw, rolesBelow } from '../law/endpoint-samples.ts';
import type { RowOptions } from '../stage/client.ts';
import { everyScope, type TwoOrganizations } from './two-organizations.ts';
import { callOf } from './valid-calls.ts';

export const attackAccess = (endpoint: Endpoint, scene: () => TwoOrganizations): void => {
  const { access } = endpoint;
  if (access === 'public') return;
  const ask = async (by: RowOptions, code: ErrorCode, details?: object) => {
    const { theirs, attack } = scene();
    const result = await attack(endpoint, { ...callOf(endpoint, theirs), ...by });
    equal(findResponseFlaw(endpoint, result), undefined);
    deepEqual([result.status, result.body.error.code], [errors[code], code], result.text);
    deepEqual(result.body.error.details, details);
  };

  test('nobody is refused, as problem+json if that is asked for', async () => {
    const { theirs, attack } = scene();
    const headers = { accept: 'application/problem+json' };
    const result = await attack(endpoint, { ...callOf(endpoint, theirs), org: theirs.id, headers });
    equal(result.headers.get('content-type'), 'application/problem+json');
    equal(result.headers.get('www-authenticate'), 'Bearer');
    const { status, code, title, requestId } = JSON.parse(result.text) as Record<string, unknown>;
    deepEqual([result.status, status, code, title], [401, 401, 'UNAUTHORIZED', 'Unauthorized']);
    equal(requestId, result.headers.get('x-request-id'));
  });

  test('a token of the owner past its hour is refused', () =>
    ask({ token: scene().expiredToken, org: scene().theirs.id }, 'UNAUTHORIZED'));

  if (access === 'user') {
    test('an API key is no person', () => ask({ token: scene().theirs.apiKey }, 'FORBIDDEN'));
    return;
  }

  test('the owner of another organization is refused, and so is the API key of another, whatever its scopes', async () => {
    const { theirs, ours, strangersKey } = scene();
    for (const token of [ours.owner.accessToken, strangersKey]) await ask({ token, org: theirs.id }, 'FORBIDDEN');
  });

  const { role, scope } = access;
  for (const below of rolesBelow(role))
    test(`the role ${below} is too low`, () => {
      const { id, people } = scene().theirs;
      const details = { requiredRole: role, currentRole: below };
      return ask({ token: people[below].accessToken, org: id }, 'PERMISSION_DENIED', details);
    });

  if (scope === 'people-only')
    test('an API key with every scope is refused', () =>
      ask({ token: scene().theirs.apiKey, org: scene().theirs.id }, 'FORBIDDEN'));
  else
    test(`an API key with every scope but ${scope} is told so`, async () => {
      const { theirs, setScopes } = scene();
      await setScopes(
        theirs,
        everyScope.filter((other) => other !== scope),
      );
      await ask({ token: theirs.apiKey, org: theirs.id }, 'FORBIDDEN', { requiredScope: scope });
      await setScopes(theirs, everyScope);
    });
};
