import type { Licensed } from './bundled.ts';

/** Licences that allow use in closed services with attribution. Nothing else may be bundled. */
export const permissive: readonly string[] = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

/** Generates infra/licences.md. A test compares the page with the bundles. */
export const licencesPage = (packages: readonly Licensed[]): string =>
  [
    '# Licences of what is bundled',
    '',
    `Code of these ${packages.length} packages is part of what \`cdk deploy\` uploads. Each licence permits that; their texts are in the`,
    'folders of the packages (`node_modules/<package>/LICENSE`). What is installed besides only builds, checks or runs the local stage.',
    '',
    'Written by `npm run licences`; a test compares it with the bundles. Whether a weakness of one of them became known since asks',
    '`npm audit --omit=dev`, before every deployment; it needs a registry that answers audits.',
    '',
    '| Package | Version | Licence | Copyright |',
    '|---|---|---|---|',
    ...packages.map(({ name, version, licence, copyright }) => `| ${name} | ${version} | ${licence} | ${copyright} |`),
    '',
  ].join('\n');
