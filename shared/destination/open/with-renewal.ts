import type { ObjectStore } from '../store/object-store.ts';

/** A store that can be opened again. */
export const withRenewal = async (open: () => Promise<ObjectStore>): Promise<ObjectStore> =>
  Object.assign(await open(), { renew: () => withRenewal(open) });
