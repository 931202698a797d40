import { serviceAccount } from '../../shared/contract/endpoints/service-account.ts';
import { handle } from '../../shared/http/index.ts';
import {
  createServiceAccount,
  readServiceAccount,
  readServiceAccountKey,
  readServiceAccountUse,
  removeServiceAccount,
  rotateAccountKey,
  serviceAccountData,
  takeOverServiceAccount,
  updateServiceAccount,
} from '../../shared/organization/index.ts';

export const get = handle(serviceAccount.get, async ({ tenant, now }) => {
  const { account, lastUsedAt } = await readServiceAccountUse(tenant);
  return { data: serviceAccountData(account, lastUsedAt, now) };
});

export const create = handle(serviceAccount.create, async (call) => {
  const { account, apiKey, change } = createServiceAccount(call, call.body, call.now);
  return { data: { ...account, permissions: [...account.permissions], apiKey }, change };
});

export const update = handle(serviceAccount.update, async (call) => {
  const { tenant, body, now } = call;
  const found = await readServiceAccountUse(tenant);
  const { account, change } = updateServiceAccount(call, found.account, body);
  return { data: serviceAccountData(account, found.lastUsedAt, now), change };
});

export const rotateKey = handle(serviceAccount.rotateKey, async (call) => {
  const found = await readServiceAccountKey(call.tenant);
  const { account, apiKey, change } = rotateAccountKey(call, { found, overlapHours: call.body.overlapHours, now: call.now });
  return { data: { ...serviceAccountData(account, null, call.now), apiKey }, change };
});

export const takeOver = handle(serviceAccount.takeOver, async (call) => {
  const found = await readServiceAccountUse(call.tenant);
  const { account, change } = takeOverServiceAccount(call, found.account);
  return { data: serviceAccountData(account, found.lastUsedAt, call.now), change };
});

export const remove = handle(serviceAccount.remove, async (call) => {
  const change = removeServiceAccount(call, await readServiceAccount(call.tenant));
  return { message: 'The service account was deleted. Its API key no longer works', change };
});
