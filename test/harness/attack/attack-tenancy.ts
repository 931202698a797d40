/** An id of another organization gets the same response as one that never existed: in the path, the query and the body. */
import { equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { type Endpoint, isOrganizationScoped } from '../../../shared/contract/endpoint.ts';
import { type IdKind, idPrefixes } from '../../../shared/contract/ids.ts';
import { newId } from '../../../shared/platform/index.ts';
import type { Result } from '../stage/client.ts';
import { withAt } from './broken-values.ts';
import { idFieldsOf } from './id-fields.ts';
import type { TwoOrganizations } from './two-organizations.ts';
import { callOf, parametersOf, prefixOf, type WholeCall } from './valid-calls.ts';

export const attackTenancy = (endpoint: Endpoint, organizations: () => TwoOrganizations): void => {
  const compare = async (prefix: string, put: (whole: WholeCall, id: string) => WholeCall) => {
    const { theirs, ours, attack } = organizations();
    const ask = async (id: string) => {
      const whole = put(callOf(endpoint, ours), id);
      const result = await attack(endpoint, { ...whole, token: ours.owner.accessToken, org: ours.id });
      return stable(result, id);
    };
    const [foreign = ''] = theirs.ids[prefix] ?? [];
    ok(foreign, `the victim has no ${prefix}_…`);
    equal(await ask(foreign), await ask(newId(kindOf(prefix))));
  };

  for (const name of parametersOf(endpoint)) {
    const prefix = prefixOf(name);
    if (prefix)
      test(`a foreign ${name} in the path gets the response of a missing one`, () =>
        compare(prefix, (whole, id) => ({ ...whole, params: { ...whole.params, [name]: id } })));
  }
  if (!isOrganizationScoped(endpoint)) return;
  for (const { where, path, prefix } of idFieldsOf(endpoint))
    test(`a foreign ${path.join('.')} in the ${where} gets the response of a missing one`, () =>
      compare(prefix, (whole, id) => ({ ...whole, [where]: putAt(whole[where], path, id) })));
};

const kindOf = (prefix: string): IdKind =>
  (Object.keys(idPrefixes) as IdKind[]).find((kind) => idPrefixes[kind] === prefix) ?? 'organization';

/** Sets a value at a path and creates missing parents. */
const putAt = (value: unknown, path: readonly (string | number)[], put: unknown): object => {
  const [name, next] = path;
  const inner =
    path.length > 1
      ? putAt(
          (value as Record<string, unknown> | undefined)?.[name as string] ?? (typeof next === 'number' ? [] : {}),
          path.slice(1),
          put,
        )
      : put;
  return withAt(value ?? {}, [name ?? ''], inner) as object;
};

/** A response without the parts that differ between any two: the requested id, new ids, times and secrets. */
const stable = ({ status, text }: Result<unknown>, asked: string): string =>
  `${status} ${text
    .replaceAll(asked, 'ASKED')
    .replace(/"requestId":"[^"]*"/g, '')
    .replace(/\b[a-z]{2,3}_[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'WHEN')
    .replace(/whsec_[^"]+/g, 'SECRET')}`;
