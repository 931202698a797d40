/** Stores the identity provider's codes, tokens, grants and sessions in the stage's state, so that they survive a restart. */
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { State } from '../../base/stage-state.ts';

/** Kept in memory only: a sign-in interrupted by a restart has to be started again. */
const fleeting = new Set(['Interaction', 'Session', 'ReplayDetection']);

export const makeOidcAdapter = (state: State): ((model: string) => Adapter) => {
  const memory = new Map<string, { payload: AdapterPayload; expiresAtMs: number }>();
  return (model) => {
    const kind = `identity-${model}`;
    const kept = !fleeting.has(model);
    const keyOf = (id: string): string => `${kind}/${id}`;
    const find = (id: string): AdapterPayload | undefined => {
      if (kept) return state.get(kind, id);
      const entry = memory.get(keyOf(id));
      return entry && entry.expiresAtMs > Date.now() ? entry.payload : undefined;
    };
    const put = (id: string, payload: AdapterPayload, expiresAtMs: number): void => {
      if (kept) {
        state.setExpiring(kind, id, { value: payload, expiresAtMs });
        return;
      }
      memory.set(keyOf(id), { payload, expiresAtMs });
      for (const [key, entry] of memory) {
        // Insertion order is close to expiry order, so the first live entry ends the search.
        if (entry.expiresAtMs > Date.now()) break;
        memory.delete(key);
      }
    };
    return {
      upsert: async (id, payload, expiresIn) => put(id, payload, Date.now() + (expiresIn ?? 0) * 1_000),
      find: async (id) => find(id),
      findByUid: async (uid) => [...memory.values()].find(({ payload }) => payload.uid === uid)?.payload,
      findByUserCode: async () => undefined,
      consume: async (id) => {
        const payload = find(id);
        if (payload) put(id, { ...payload, consumed: Math.floor(Date.now() / 1_000) }, (payload.exp ?? 0) * 1_000);
      },
      destroy: async (id) => {
        memory.delete(keyOf(id));
        if (kept) state.delete(kind, id);
      },
      revokeByGrantId: async (grantId) => {
        for (const payload of state.all<AdapterPayload>(kind)) {
          if (payload.grantId === grantId && payload.jti) state.delete(kind, payload.jti);
        }
      },
    };
  };
};
