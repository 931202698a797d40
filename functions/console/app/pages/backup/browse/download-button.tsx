import type { BackupEntry } from '../../../data/backup-contents.ts';
import { Button } from '../../../ui/form/button.tsx';
import { showToast } from '../../../ui/overlay/toast.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { formatJson } from '../../../ui/value/value-type.ts';

/** A file name without characters that file systems refuse. */
const fileName = (path: string): string => `${path.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 120)}.json`;

/** Copies or downloads the document in the format of the Firestore REST API, which keeps every type. */
export const DownloadButton = ({ document }: { readonly document: BackupEntry }) => {
  const { path, name, fields, createTime, updateTime } = document;
  if (fields === undefined) return null;
  const json = (): string => formatJson({ name, fields, createTime, updateTime });
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(json());
    showToast('The document is copied as JSON');
  };
  return (
    <>
      <Button size="small" icon="copy" onClick={() => void copy()}>
        Copy JSON
      </Button>
      <Button size="small" icon="download" onClick={() => saveFile(fileName(path), json(), 'application/json')}>
        Download
      </Button>
    </>
  );
};
