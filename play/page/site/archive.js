// An archive of files: ZIP without compression.
// Source: PKWARE, .ZIP File Format Specification 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** The CRC-32 of bytes. */
function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/** Numbers as bytes, the lowest first: each is [number, bytes]. */
function packed(...numbers) {
  return Uint8Array.from(numbers.flatMap(([number, bytes]) => Array.from({ length: bytes }, (_, i) => Math.floor(number / 256 ** i) & 255)));
}

/** Returns a blob with the files, which are pairs of names and texts, in a folder. */
export function zip(folder, files) {
  const encode = new TextEncoder();
  const parts = [];
  const entries = [];
  let offset = 0;
  const now = new Date();
  const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
  const date = ((now.getFullYear() - 1980) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
  for (const [path, text] of files) {
    const name = encode.encode(`${folder}/${path}`);
    const bytes = encode.encode(text);
    // Version 2.0, names in UTF-8 (bit 11), stored.
    const common = packed([20, 2], [0x800, 2], [0, 2], [time, 2], [date, 2], [checksum(bytes), 4], [bytes.length, 4], [bytes.length, 4], [name.length, 2], [0, 2]);
    const local = [packed([0x04034b50, 4]), common, name, bytes];
    entries.push(packed([0x02014b50, 4], [20, 2]), common, packed([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), name);
    parts.push(...local);
    offset += local.reduce((sum, each) => sum + each.length, 0);
  }
  const size = entries.reduce((sum, each) => sum + each.length, 0);
  const end = packed([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}

/** Lets the reader keep a blob as a file of this name. */
export function download(name, blob) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
