/** A project with a history of usual backups, an attack, and the backup that it marks. */
import { randomBytes } from 'node:crypto';
import { endOf, newDestination, newProject, seed, startBackup } from './backup.ts';
import type { TestOrganization } from './organization.ts';
import { erase } from './restore.ts';

const text = (stringValue: string) => ({ stringValue });
const user = (n: number) => ({ name: text(`Ada Lovelace the ${n}th of her name`), note: text(`Likes long walks, order ${n}`) });
const userPaths = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, n) => `users/u${String(from + n).padStart(4, '0')}`);

/** 200 users and 50 orders, after which `attack` deletes 40 users and encrypts 10. Backups are kept for a day. */
export const newAttackedProject = async (organization: TestOrganization, more: object = {}) => {
  const [destination, project] = [await newDestination(organization), await newProject(organization, more)];
  const source = project.sourceProjectId;
  const write = (paths: readonly string[], fieldsOf: (n: number) => object = user) =>
    seed(source, Object.fromEntries(paths.map((path, n) => [path, fieldsOf(n)])));
  const take = async (type: string) => {
    const body = { projectId: project.id, storageDestinationId: destination.id, type, retention: 1 };
    return endOf(organization, (await startBackup(organization, body)).id);
  };
  await write(userPaths(0, 200));
  await write(Array.from({ length: 50 }, (_, n) => `users/u0001/orders/${n}`));
  const usual: Awaited<ReturnType<typeof take>>[] = [];
  for (const [n, type] of ['full', 'incremental', 'full', 'incremental'].entries()) {
    await write(userPaths(n, n + 3), (m) => user(m + 1_000));
    usual.push(await take(type));
  }
  const attack = async (): Promise<void> => {
    await erase(source, userPaths(150, 190));
    await write(userPaths(40, 50), () => ({
      name: text(randomBytes(48).toString('base64')),
      note: { bytesValue: randomBytes(96).toString('base64') },
    }));
  };
  return { project, usual, take, attack };
};
