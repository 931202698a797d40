/** Options of `bms storage create|update` for what the store itself does: locks of objects, and encryption. */
import { type Command, InvalidArgumentError } from 'commander';
import type { InputOf } from '../../../shared/client/index.ts';
import { type ChoiceOf, sseAlgorithms } from '../base/choices.ts';
import { choiceOption, parsePositive } from '../base/parse-values.ts';

type StorageProtection = Pick<InputOf<'POST /storage-destinations'>['body'], 'objectLock' | 'sse' | 'sseKmsKeyId'>;

export interface StorageProtectionOptions {
  readonly objectLock?: StorageProtection['objectLock'];
  readonly sse?: ChoiceOf<typeof sseAlgorithms> | undefined;
  readonly sseKmsKeyId?: string | undefined;
}

export const addProtectionOptions = (command: Command): Command =>
  command
    .option('--object-lock <mode:days>', 'lock each object, such as governance:30 or compliance:365; none: no locks', parseLock)
    .addOption(choiceOption('--sse <algorithm>', 'encryption that the store is asked for; none: the default', sseAlgorithms))
    .option('--sse-kms-key-id <key>', 'the KMS key of --sse aws:kms');

/** The fields that the options name, and no others. */
export const readProtection = ({ objectLock, sse, sseKmsKeyId }: StorageProtectionOptions): StorageProtection => ({
  ...(objectLock !== undefined && { objectLock }),
  ...(sse !== undefined && { sse: sse === 'none' ? null : sse }),
  ...(sseKmsKeyId !== undefined && { sseKmsKeyId }),
});

export const parseLock = (text: string): StorageProtection['objectLock'] => {
  if (text === 'none') return null;
  const [mode, days = '', ...rest] = text.split(':');
  if ((mode !== 'governance' && mode !== 'compliance') || rest.length > 0)
    throw new InvalidArgumentError('It must be governance:<days>, compliance:<days> or none.');
  return { mode, days: parsePositive(days) };
};
