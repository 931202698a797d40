/** The Firebase Rules API: rulesets, and the releases that say which of them applies. */
import * as z from 'zod/mini';
import { RpcError } from '../base/types.ts';
import { parseResource } from '../indexes/index-resource.ts';
import type { Rules, Ruleset } from '../rules/rulesets.ts';
import { type ApiCall, type ApiRequest, pageOf } from './api-call.ts';
import { decodeSegments } from './rest-routes.ts';

const path = /^\/v1\/projects\/([^/:]+)(?:\/(rulesets|releases)(?:\/(.+))?|:(test))$/;

/** A request for rules; undefined if the path is another. */
export const rulesRoute = (rules: Rules, request: ApiRequest): ApiCall | undefined => {
  const [, encoded, kind, id, test] = path.exec(request.path) ?? [];
  if (encoded === undefined) return undefined;
  const found = routes[`${request.method}${id === undefined ? '' : ' one'} ${kind ?? test}`];
  if (!found) return undefined;
  const [project = ''] = decodeSegments(encoded);
  const name = id === undefined ? '' : `projects/${project}/${kind}/${decodeSegments(id).join('/')}`;
  const [method, run] = found;
  return { method, name: `projects/${project}`, run: () => run(rules, { ...request, project, name }) };
};

interface Target extends ApiRequest {
  readonly project: string;
  /** The full name of a ruleset or release. */
  readonly name: string;
}
type Run = (rules: Rules, target: Target) => unknown;

const Source = z.object({
  source: z.object({ files: z.array(z.object({ name: z.string(), content: z.string() })).check(z.minLength(1)) }),
});
const Release = z.object({ name: z.string(), rulesetName: z.string() });

const nothing =
  (run: (rules: Rules, name: string) => void): Run =>
  (rules, { name }) => {
    run(rules, name);
    return {};
  };

const routes: Readonly<Record<string, readonly [method: string, run: Run]>> = {
  'GET rulesets': [
    'ListRulesets',
    // A list has no sources.
    (rules, { project, query }) =>
      pageOf(
        rules.rulesets(project).map(({ name, createTime }) => ({ name, createTime })),
        query,
        'rulesets',
      ),
  ],
  'POST rulesets': [
    'CreateRuleset',
    (rules, { project, body }) => {
      const { files } = parseResource(Source, body).source;
      const empty = files.find(({ content }) => content.trim() === '');
      if (empty) throw new RpcError('INVALID_ARGUMENT', `The file ${empty.name} is empty.`);
      return rulesetOf(rules.createRuleset(project, files));
    },
  ],
  'GET one rulesets': ['GetRuleset', (rules, { name }) => rulesetOf(rules.ruleset(name))],
  'DELETE one rulesets': ['DeleteRuleset', nothing((rules, name) => rules.deleteRuleset(name))],
  'GET releases': ['ListReleases', (rules, { project, query }) => pageOf(rules.releases(project), query, 'releases')],
  'POST releases': ['CreateRelease', (rules, { project, body }) => rules.createRelease(ownRelease(project, body))],
  'GET one releases': ['GetRelease', (rules, { name }) => rules.release(name)],
  'PATCH one releases': [
    'UpdateRelease',
    (rules, { project, name, body }) => {
      const release = ownRelease(project, (body as { readonly release?: unknown } | undefined)?.release);
      if (release.name !== name) throw new RpcError('INVALID_ARGUMENT', 'The name of the release differs from that of the path.');
      return rules.updateRelease(release);
    },
  ],
  'DELETE one releases': ['DeleteRelease', nothing((rules, name) => rules.deleteRelease(name))],
  // `firebase deploy` asks before it creates a ruleset. Rules are not compiled here, so nothing is found.
  'POST test': [
    'TestRuleset',
    (_rules, { body }) => {
      parseResource(Source, body);
      return {};
    },
  ],
};

const ownRelease = (project: string, body: unknown): z.output<typeof Release> => {
  const release = parseResource(Release, body);
  const isOwn =
    release.name.startsWith(`projects/${project}/releases/`) && release.rulesetName.startsWith(`projects/${project}/rulesets/`);
  if (!isOwn) throw new RpcError('INVALID_ARGUMENT', 'A release and its ruleset belong to the project of the request.');
  return release;
};

const rulesetOf = ({ name, createTime, files }: Ruleset) => ({ name, createTime, source: { files } });
