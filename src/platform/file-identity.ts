/** The identity of a file, different for its copies. */
import { statfsSync, statSync } from 'node:fs';

/** The device is not part of it: a restart may give the device another number. */
interface FileIdentity {
  readonly inode: string;
  /** Null when the file system does not know it; the inode alone counts then. */
  readonly birthNs: string | null;
}

/** Types in statfs: NFS, SMB, SMB2, CIFS, FUSE, 9P, AFS, Ceph, Lustre, Coda. */
const mountedTypes: ReadonlySet<number> = new Set([
  0x69_69, 0x51_7b, 0xfe_53_4d_42, 0xff_53_4d_42, 0x65_73_55_46, 0x01_02_19_97, 0x53_46_41_4f, 0x00_c3_64_00,
  0x0b_d0_0b_d0, 0x73_75_72_45,
]);

/** @returns undefined on network and FUSE file systems, which renumber files at each mount */
export function identifyFile(path: string): FileIdentity | undefined {
  if (mountedTypes.has(statfsSync(path).type >>> 0)) return undefined;
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true });
  // A system without birth times returns 0, or the time of the last change.
  const isKnown = birthtimeNs > 0n && birthtimeNs !== ctimeNs;
  return { inode: String(ino), birthNs: isKnown ? String(birthtimeNs) : null };
}
