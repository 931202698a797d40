import { createHash } from 'node:crypto';
import type { Licensed } from '../../licences/bundled.ts';

interface ArtifactContents {
  readonly artifact: string;
  readonly packages: readonly Licensed[];
}

/**
 * A CycloneDX 1.6 document of the packages in the released files, each with the artifacts that contain it. It has no time, and its serial number
 * is derived from its contents, so that two builds give the same file.
 */
export const sbomOf = (version: string, contents: readonly ArtifactContents[]) => {
  const packages = new Map(contents.flatMap((one) => one.packages).map((one) => [referenceOf(one), one]));
  const components = [...packages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reference, { name, version: packageVersion, licence, copyright }]) => {
      const [group, shortName] = name.startsWith('@') ? name.split('/') : [undefined, name];
      return {
        type: 'library',
        'bom-ref': reference,
        ...(group !== undefined && { group }),
        name: shortName,
        version: packageVersion,
        licenses: [/ (OR|AND|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } }],
        ...(copyright !== '' && { copyright }),
        purl: reference,
        properties: contents
          .filter((one) => one.packages.some((bundled) => referenceOf(bundled) === reference))
          .map(({ artifact }) => ({ name: 'bms:artifact', value: artifact })),
      };
    });
  const service = `pkg:generic/backup-management-service@${version}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([service, components]))}`,
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': service, name: 'backup-management-service', version, purl: service },
    },
    components,
    dependencies: [{ ref: service, dependsOn: components.map((component) => component['bom-ref']) }],
  };
};

const referenceOf = ({ name, version }: Licensed): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A UUID of version 8, which leaves its bits to the application (RFC 9562). */
const uuidOf = (text: string): string => {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
