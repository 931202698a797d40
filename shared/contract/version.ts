/** Equals the version in package.json; a test compares them. */
export const version = '2.0.0';

/**
 * The version of the table's items. A release that writes items which the release before it cannot read raises it by one: then no
 * deployment goes back behind that release (`infra/deploy.md`, Upgrade and roll back).
 */
export const schemaVersion = 1;
