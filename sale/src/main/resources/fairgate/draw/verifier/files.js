// The files of a bundle: in a tar file that is read piece by piece, or below the address of a draw.
import { Malformed } from './bytes.js';
import { Refused } from './note.js';

const WINDOW = 1 << 18;
const MAX_FILE = 1 << 26;

/** Time for the whole of a file. */
const FILE_SECONDS = 60;
/** The time that a server gives a reader for a large file. */
export const BUNDLE_SECONDS = 15 * 60;

/** A window over a File or Blob, so that many small reads become few large ones. */
class Windowed {
  constructor(blob) {
    this.blob = blob;
    this.start = 0;
    this.bytes = new Uint8Array(0);
  }

  async read(at, length) {
    if (at < this.start || at + length > this.start + this.bytes.length) {
      try {
        this.bytes = new Uint8Array(await this.blob.slice(at, at + Math.max(length, WINDOW)).arrayBuffer());
      } catch (e) {
        throw new Refused('unreachable', e.message);
      }
      this.start = at;
    }
    return this.bytes.subarray(at - this.start, at - this.start + length);
  }
}

const ascii = (bytes) => String.fromCharCode(...bytes).split('\0')[0];

function octal(bytes) {
  const [, digits] = /^ *([0-7]{1,12}) *$/.exec(ascii(bytes)) ?? [];
  if (!digits) throw new Malformed('tar number');
  return parseInt(digits, 8);
}

/** A relative path that stays in its folder: visible ASCII characters, no part that is empty, `.` or `..`. */
const isPath = (path) => /^[!-~]{1,200}$/.test(path) && !path.split('/').some((part) => ['', '.', '..'].includes(part));

/** The regular files of a ustar file. Headers are read only as far as a file is looked for. */
export class TarFiles {
  constructor(blob) {
    this.size = blob.size;
    this.source = new Windowed(blob);
    this.places = new Map();
    this.at = 0;
    this.ended = false;
  }

  async read(path) {
    while (!this.places.has(path) && !this.ended) await this.next();
    const place = this.places.get(path);
    if (!place) throw new Refused('missing_file', path);
    return this.source.read(place.at, place.size);
  }

  /** Reads the headers of all files. */
  async finish() {
    while (!this.ended) await this.next();
  }

  bundle() {
    return this.read('bundle');
  }

  async next() {
    const header = await this.source.read(this.at, 512);
    try {
      if (header.length !== 512) throw new Malformed('tar');
      this.ended = header.every((b) => b === 0);
      if (!this.ended) this.add(header);
    } catch (e) {
      throw e instanceof Malformed ? new Refused('malformed_bundle', e.message) : e;
    }
  }

  add(header) {
    const sum = header.reduce((total, b, i) => total + (i >= 148 && i < 156 ? 32 : b), 0);
    const kind = header[156];
    const written = String.fromCharCode(...header.subarray(148, 156));
    if (ascii(header.subarray(257, 262)) !== 'ustar' || written !== sum.toString(8).padStart(6, '0') + '\0 ' || (kind !== 0 && kind !== 48)) {
      throw new Malformed('tar header');
    }
    const prefix = ascii(header.subarray(345, 500));
    const path = (prefix && prefix + '/') + ascii(header.subarray(0, 100));
    const size = octal(header.subarray(124, 136));
    if (!isPath(path) || this.places.has(path) || this.at + 512 + size > this.size) throw new Malformed('tar entry');
    this.places.set(path, { at: this.at + 512, size });
    this.at += 512 + Math.ceil(size / 512) * 512;
  }
}

/** The files below the address of a draw, https://shop.example/draws/<draw>, or of a room, https://shop.example/q/<room>. */
export class WebFiles {
  constructor(address) {
    this.address = address.replace(/\/+$/, '');
    this.root = this.address.replace(/\/(draws|q)\/[^/]*$/, '');
  }

  read(path) {
    return this.get(this.root + '/' + path);
  }

  bundle() {
    return this.get(this.address + '/bundle');
  }

  async finish() {}

  async get(address) {
    const blob = await download(address);
    if (blob.size > MAX_FILE) throw new Refused('malformed_bundle', address);
    return new Uint8Array(await blob.arrayBuffer());
  }
}

/** Fetches a file, all of it in this time; the browser keeps large ones on disk. */
export async function download(address, progress = () => {}, seconds = FILE_SECONDS) {
  let response;
  try {
    response = await fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(1000 * seconds) });
  } catch (e) {
    throw new Refused('unreachable', address + ' ' + e.message);
  }
  if (!response.ok) throw new Refused(response.status === 404 ? 'missing_file' : 'unreachable', response.status + ' ' + address);
  const total = Number(response.headers.get('content-length')) || 0;
  const parts = [];
  let done = 0;
  try {
    for (const reader = response.body.getReader(); ;) {
      const part = await reader.read();
      if (part.done) return new Blob(parts);
      parts.push(part.value);
      done += part.value.length;
      progress('download', done, total);
    }
  } catch (e) {
    throw new Refused('unreachable', address + ' ' + e.message);
  }
}
