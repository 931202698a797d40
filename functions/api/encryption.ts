import { encryption } from '../../shared/contract/endpoints/encryption.ts';
import { handle } from '../../shared/http/index.ts';
import { changeEncryption, encryptionData, readEncryption, rotateKeys } from '../../shared/stored-backup/index.ts';

export const get = handle(encryption.get, async ({ tenant }) => ({ data: encryptionData(await readEncryption(tenant)) }));

export const set = handle(encryption.set, async ({ tenant, body, now }) => {
  const { chosen, change } = await changeEncryption(tenant, await readEncryption(tenant), { input: body, now });
  return { data: encryptionData(chosen), change };
});

export const rotate = handle(encryption.rotate, async ({ tenant, now }) => {
  const { chosen, change } = rotateKeys(tenant, await readEncryption(tenant), now);
  return { data: encryptionData(chosen), change };
});
