import { apiKeys } from '../../shared/contract/endpoints/api-keys.ts';
import { handle } from '../../shared/http/index.ts';
import {
  apiKeyData,
  createApiKey,
  lastUseOf,
  listApiKeys,
  readApiKey,
  removeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../../shared/organization/index.ts';
import { assertProjects } from '../../shared/project/index.ts';

export const list = handle(apiKeys.list, async ({ tenant, page, now }) => {
  const { items, next } = await listApiKeys(tenant, page);
  return { items: items.map(({ key, lastUsedAt }) => apiKeyData(key, lastUsedAt, now)), next };
});

export const create = handle(apiKeys.create, async (call) => {
  await assertProjects(call.tenant, call.body.projectIds);
  const { key, apiKey, change } = createApiKey(call, call.body, call.now);
  return { data: { ...apiKeyData(key, null, call.now), apiKey }, change };
});

export const get = handle(apiKeys.get, async ({ tenant, params, now }) => {
  const [key, lastUsedAt] = await Promise.all([readApiKey(tenant, params.apiKeyId), lastUseOf(tenant, params.apiKeyId)]);
  return { data: apiKeyData(key, lastUsedAt, now) };
});

export const update = handle(apiKeys.update, async (call) => {
  const { tenant, params, body, now } = call;
  const [found, lastUsedAt] = await Promise.all([readApiKey(tenant, params.apiKeyId), lastUseOf(tenant, params.apiKeyId)]);
  await assertProjects(tenant, body.projectIds, found.projectIds);
  const { key, change } = updateApiKey(call, { key: found, input: body, now });
  return { data: apiKeyData(key, lastUsedAt, now), change };
});

export const rotate = handle(apiKeys.rotate, async (call) => {
  const { tenant, params, body, now } = call;
  const [found, lastUsedAt] = await Promise.all([readApiKey(tenant, params.apiKeyId), lastUseOf(tenant, params.apiKeyId)]);
  const { key, apiKey, change } = await rotateApiKey(call, {
    key: found,
    overlapHours: body.overlapHours,
    expiresAt: body.expiresAt,
    now,
  });
  return { data: { ...apiKeyData(key, lastUsedAt, now), apiKey }, change };
});

export const remove = handle(apiKeys.remove, async (call) => {
  const change = removeApiKey(call, await readApiKey(call.tenant, call.params.apiKeyId));
  return { message: 'The API key was deleted and no longer works', change };
});
