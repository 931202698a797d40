/** The rulesets and releases of Firebase Security Rules, of all projects. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RpcError } from '../base/types.ts';

export interface RulesFile {
  readonly name: string;
  readonly content: string;
}

export interface Ruleset {
  /** `projects/p/rulesets/id` */
  readonly name: string;
  readonly createTime: string;
  readonly files: readonly RulesFile[];
}

export interface Release {
  /** `projects/p/releases/cloud.firestore`, or `projects/p/releases/firebase.storage/bucket` */
  readonly name: string;
  readonly rulesetName: string;
  readonly createTime: string;
  readonly updateTime: string;
}

interface RulesState {
  readonly rulesets: readonly Ruleset[];
  readonly releases: readonly Release[];
}

/** Changes are on disk before the response. Rules are stored, not compiled and not enforced. */
export interface Rules {
  rulesets(project: string): readonly Ruleset[];
  ruleset(name: string): Ruleset;
  createRuleset(project: string, files: readonly RulesFile[]): Ruleset;
  deleteRuleset(name: string): void;
  releases(project: string): readonly Release[];
  release(name: string): Release;
  createRelease(release: Pick<Release, 'name' | 'rulesetName'>): Release;
  updateRelease(release: Pick<Release, 'name' | 'rulesetName'>): Release;
  deleteRelease(name: string): void;
}

/** Opens the rules in the folder; without one they are kept in memory. */
export const openRules = (dir?: string, now: () => string = () => new Date().toISOString()): Rules => {
  const file = dir === undefined ? undefined : join(dir, 'rules.json');
  let state: RulesState =
    file !== undefined && existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as RulesState)
      : { rulesets: [], releases: [] };
  const keep = (changed: RulesState): void => {
    if (dir !== undefined && file !== undefined) {
      mkdirSync(dir, { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(changed));
      renameSync(`${file}.new`, file);
    }
    state = changed;
  };
  const ruleset = (name: string): Ruleset => found(state.rulesets, name);
  const release = (name: string): Release => found(state.releases, name);
  const put = (changed: Release): Release => {
    keep({ ...state, releases: [...state.releases.filter(({ name }) => name !== changed.name), changed] });
    return changed;
  };
  return {
    rulesets: (project) => state.rulesets.filter(({ name }) => name.startsWith(`projects/${project}/`)),
    ruleset,
    createRuleset: (project, files) => {
      const id = createHash('sha256')
        .update(JSON.stringify([project, state.rulesets.length, files]))
        .digest('hex');
      const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
      const created = { name: `projects/${project}/rulesets/${uuid}`, createTime: now(), files };
      keep({ ...state, rulesets: [...state.rulesets, created] });
      return created;
    },
    deleteRuleset: (name) => {
      ruleset(name);
      if (state.releases.some(({ rulesetName }) => rulesetName === name))
        throw new RpcError('FAILED_PRECONDITION', 'The ruleset is used by a release.');
      keep({ ...state, rulesets: state.rulesets.filter((one) => one.name !== name) });
    },
    releases: (project) => state.releases.filter(({ name }) => name.startsWith(`projects/${project}/`)),
    release,
    createRelease: ({ name, rulesetName }) => {
      if (state.releases.some((one) => one.name === name))
        throw new RpcError('ALREADY_EXISTS', 'Requested entity already exists');
      ruleset(rulesetName);
      const at = now();
      return put({ name, rulesetName, createTime: at, updateTime: at });
    },
    updateRelease: ({ name, rulesetName }) => {
      const before = release(name);
      ruleset(rulesetName);
      return put({ ...before, rulesetName, updateTime: now() });
    },
    deleteRelease: (name) => {
      release(name);
      keep({ ...state, releases: state.releases.filter((one) => one.name !== name) });
    },
  };
};

const found = <T extends { readonly name: string }>(all: readonly T[], name: string): T => {
  const one = all.find((each) => each.name === name);
  if (!one) throw new RpcError('NOT_FOUND', 'Requested entity was not found.');
  return one;
};
