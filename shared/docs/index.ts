export { docsPage } from './page.ts';
