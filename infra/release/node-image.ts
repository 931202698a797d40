/** The base of images and pipelines, by digest because a tag can be moved. Renew it before a release (`infra/release.md`). */
export const nodeImage = 'node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d';
