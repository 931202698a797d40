/** The parameters with which a project hashes passwords. Without them a hash cannot be imported, not even into the same project. */
import * as z from 'zod/mini';
import { SourceError } from '../../firestore/index.ts';
import { callToolkit, isUnused, rejectedRequest, type Toolkit } from './identity-toolkit.ts';

/** A secret of the project, kept in memory only. Keys are base64, as in the API. */
export interface HashConfig {
  readonly algorithm: string;
  readonly signerKey: string;
  readonly saltSeparator: string;
  readonly rounds: number;
  readonly memoryCost: number;
}

/** Undefined without permission to read it: the API then omits it. */
export const readHashConfig = async (toolkit: Toolkit, signal?: AbortSignal): Promise<HashConfig | undefined> => {
  const answer = await callToolkit(toolkit, { path: '/config', signal });
  if (isUnused(answer)) return undefined;
  if (answer.status !== 200) throw rejectedRequest(answer);
  return Config.safeParse(answer.body).data?.signIn.hashConfig;
};

const Config = z.object({
  signIn: z.object({
    hashConfig: z.object({
      algorithm: z.string().check(z.minLength(1)),
      signerKey: z.string().check(z.minLength(1)),
      saltSeparator: z._default(z.string(), ''),
      rounds: z.int(),
      memoryCost: z.int(),
    }),
  }),
});

/** Whether two users of the project may have the same e-mail address; false if unknown. */
export const letsShareEmails = async (toolkit: Toolkit, signal?: AbortSignal): Promise<boolean> => {
  try {
    const answer = await callToolkit(toolkit, { path: '/config', signal });
    return Sharing.safeParse(answer.body).data?.signIn.allowDuplicateEmails ?? false;
  } catch (error) {
    if (error instanceof SourceError && !error.isTransient && error.code !== 'CANCELLED') return false;
    throw error;
  }
};

const Sharing = z.object({ signIn: z.object({ allowDuplicateEmails: z._default(z.boolean(), false) }) });
