import { action } from './action/action.ts';
import type { Artifact } from './artifact.ts';
import { bms } from './bms/bms.ts';
import { changelog } from './changelog/changelog.ts';
import { client } from './client/client.ts';
import { construct } from './construct/construct.ts';
import { description } from './description/description.ts';
import { local } from './local/local.ts';
import { template } from './template/template.ts';

/** What a release consists of, beside the files that describe all of it: licences.txt, sbom.cdx.json and SHA256SUMS. */
export const artifacts: readonly Artifact[] = [action, bms, changelog, client, construct, description, local, template];
