/** `config`: the indexes, TTL policies, settings and security rules that the manifest of a backup holds, and what differs in another one's. */
import { configurationDiffData } from '../../shared/project/configuration/configuration-diff-data.ts';
import { archivedConfiguration } from '../../shared/stored-backup/configuration/archived-configuration.ts';
import { configurationLines, differenceLine } from './configuration-lines.ts';
import type { OpenBackup } from './open-backup.ts';
import { grouped, note, type Output, say } from './output.ts';
import { toJson } from './to-json.ts';

const holdsNone = 'holds no configuration';

export const printConfiguration = async ({ identity, manifest }: OpenBackup, output: Output): Promise<void> => {
  const { backup: backupId } = identity;
  const configuration = archivedConfiguration(manifest);
  if (output.isJson) return output.line(toJson({ backupId, configuration: configuration ?? null }));
  if (!configuration) return say(`${backupId} ${holdsNone}`);
  note(`${backupId} of ${manifest.source}: captured ${configuration.capturedAt}`);
  for (const line of configurationLines(configuration)) await output.line(line);
};

/** From the first to the second, as `bms config diff` shows it. */
export const printConfigurationDiff = async (backup: OpenBackup, other: OpenBackup, output: Output): Promise<void> => {
  const [mine, against] = [backup, other].map(({ identity, manifest }) => ({
    id: identity.backup,
    configuration: archivedConfiguration(manifest),
  })) as [Compared, Compared];
  const diff = configurationDiffData(mine, against);
  if (output.isJson) return output.line(toJson(diff));
  for (const one of diff.differences) await output.line(differenceLine(one));
  for (const id of diff.withoutConfiguration) say(`${id} ${holdsNone}: nothing was compared`);
  if (diff.unknown.length > 0) say(`not compared, because one side does not know them: ${diff.unknown.join(', ')}`);
  const { length } = diff.differences;
  note(`${grouped(length)} difference${length === 1 ? '' : 's'}, ${grouped(diff.equal)} equal`);
};

type Compared = Parameters<typeof configurationDiffData>[0];
