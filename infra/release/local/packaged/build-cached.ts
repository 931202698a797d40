import { fileURLToPath } from 'node:url';

/** Stands for `infra/bundle/build-cached.ts` in the package: what the stage would build is in a folder named after its kind. */
export const buildCached = async ({ kind }: { readonly kind: string }): Promise<string> =>
  fileURLToPath(new URL(`built/${kind}`, import.meta.url));
