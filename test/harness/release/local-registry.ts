/** A registry of npm on a loopback address, with the installed packages of the repository and no others. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { root } from '../law/source-files.ts';

export interface LocalRegistry {
  /** Variables with which npm asks this registry and keeps what it caches in a folder of the test. */
  readonly env: (home: string) => Readonly<Record<string, string>>;
  close(): void;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bundleDependencies?: unknown;
  readonly bundledDependencies?: unknown;
}

/** By name: the folders of all installed versions. */
const installedFolders = (): ReadonlyMap<string, readonly string[]> => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly inBundle?: boolean }>>;
  };
  const folders = Object.entries(packages).flatMap(([folder, { inBundle }]) =>
    folder !== '' && !inBundle && existsSync(join(root, folder, 'package.json')) ? [folder] : [],
  );
  return Map.groupBy(folders, (folder) => folder.replace(/^.*node_modules\//, ''));
};

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

export const startLocalRegistry = async (): Promise<LocalRegistry> => {
  const byName = installedFolders();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url());
    const folder = searchParams.get('folder');
    if (folder !== null) {
      const { bundleDependencies, bundledDependencies } = manifestOf(folder);
      const others = bundleDependencies || bundledDependencies ? [] : [`--exclude=${basename(folder)}/node_modules`];
      const at = dirname(join(root, folder));
      const pack = spawn('tar', [
        '-cf',
        '-',
        `--transform=s,^${basename(folder)},package,`,
        ...others,
        '-C',
        at,
        basename(folder),
      ]);
      const zip = spawn('gzip', ['-1']);
      pack.stdout.pipe(zip.stdin);
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      zip.stdout.pipe(response);
      return;
    }
    const name = decodeURIComponent(pathname.slice(1));
    const manifests = (byName.get(name) ?? []).map((each) => {
      const dist = { tarball: `${url()}/tarball.tgz?folder=${encodeURIComponent(each)}` };
      return { ...manifestOf(each), dist };
    });
    if (manifests.length === 0) return void response.writeHead(404).end('{}');
    const versions = Object.fromEntries(manifests.map((each) => [each.version, each]));
    // The direct one is in the outermost folder.
    const packument = { name, 'dist-tags': { latest: manifests[0]?.version }, versions };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(packument));
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    env: (home) => ({
      HOME: home,
      npm_config_registry: `${url()}/`,
      npm_config_cache: join(home, 'npm'),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      npm_config_userconfig: join(home, 'none'),
    }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
