import { apiKeys } from '../../shared/contract/endpoints/api-keys.ts';
import { handle } from '../../shared/http/index.ts';
import {
  apiKeyData,
  createApiKey,
  listApiKeys,
  readApiKey,
  readKeyNotes,
  removeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../../shared/organization/index.ts';
import { assertProjects } from '../../shared/project/index.ts';

export const list = handle(apiKeys.list, async ({ tenant, page, now }) => {
  const { items, next } = await listApiKeys(tenant, page);
  const notes = await readKeyNotes(tenant, items);
  return { items: items.map((key) => apiKeyData(key, notes, now)), next };
});

export const create = handle(apiKeys.create, async (call) => {
  await assertProjects(call.tenant, call.body.projectIds);
  const { key, apiKey, change } = createApiKey(call, call.body, call.now);
  const notes = await readKeyNotes(call.tenant, [key]);
  return { data: { ...apiKeyData(key, notes, call.now), apiKey }, change };
});

export const get = handle(apiKeys.get, async ({ tenant, params, now }) => {
  const key = await readApiKey(tenant, params.apiKeyId);
  return { data: apiKeyData(key, await readKeyNotes(tenant, [key]), now) };
});

export const update = handle(apiKeys.update, async (call) => {
  const { tenant, actor, params, body, now } = call;
  const found = await readApiKey(tenant, params.apiKeyId);
  const notes = await readKeyNotes(tenant, [found], actor.id);
  await assertProjects(tenant, body.projectIds, found.projectIds);
  const { key, change } = updateApiKey(call, { key: found, input: body, now });
  return { data: apiKeyData(key, notes, now), change };
});

export const rotate = handle(apiKeys.rotate, async (call) => {
  const { tenant, actor, params, body, now } = call;
  const found = await readApiKey(tenant, params.apiKeyId);
  const notes = await readKeyNotes(tenant, [found], actor.id);
  const { key, apiKey, change } = await rotateApiKey(call, {
    key: found,
    overlapHours: body.overlapHours,
    expiresAt: body.expiresAt,
    now,
  });
  return { data: { ...apiKeyData(key, notes, now), apiKey }, change };
});

export const remove = handle(apiKeys.remove, async (call) => {
  const change = removeApiKey(call, await readApiKey(call.tenant, call.params.apiKeyId));
  return { message: 'The API key was deleted and no longer works', change };
});
