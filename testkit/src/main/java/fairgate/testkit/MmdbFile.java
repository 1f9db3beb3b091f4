package fairgate.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A small database in MaxMind's `mmdb` format, as operators have it of network operators' numbers.
///
/// Written by the format's description: a binary tree over the bits of 128-bit addresses, with IPv4
/// in `::/96`, records of 24 bits, then the data, then the metadata.
public final class MmdbFile {
  private static final int EMPTY = -1;

  private final List<int[]> nodes = new ArrayList<>(List.of(new int[] {EMPTY, EMPTY}));
  private final ByteArrayOutputStream data = new ByteArrayOutputStream();
  private final List<Integer> offsets = new ArrayList<>();

  /// Adds a block as `203.0.113.0/24` or `2001:db8::/32` with the number of its operator. Blocks do
  /// not overlap.
  public MmdbFile asn(String block, long number) {
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("autonomous_system_number", number);
    record.put("autonomous_system_organization", "Operator " + number);
    return add(block, record);
  }

  /// Adds a block with a record of texts, whole numbers, booleans, and maps of them.
  public MmdbFile add(String block, Map<String, Object> record) {
    int slash = block.indexOf('/');
    byte[] address = InetAddress.ofLiteral(block.substring(0, slash)).getAddress();
    int length = Integer.parseInt(block.substring(slash + 1));
    byte[] bits = new byte[16];
    System.arraycopy(address, 0, bits, 16 - address.length, address.length);
    int depth = length + (16 - address.length) * 8;
    int node = 0;
    for (int i = 0; i < depth - 1; i++) {
      int side = side(bits, i);
      int next = nodes.get(node)[side];
      if (next < 0) {
        next = nodes.size();
        nodes.get(node)[side] = next;
        nodes.add(new int[] {EMPTY, EMPTY});
      }
      node = next;
    }
    // The sign distinguishes data from nodes until the number of nodes is known.
    nodes.get(node)[side(bits, depth - 1)] = -2 - offsets.size();
    offsets.add(data.size());
    data.writeBytes(value(record));
    return this;
  }

  /// Writes the file at once, over one that is there.
  public void write(Path file) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int[] node : nodes) {
      for (int record : node) {
        int pointer = pointer(record);
        all.write(pointer >> 16);
        all.write(pointer >> 8);
        all.write(pointer);
      }
    }
    all.writeBytes(new byte[16]);
    all.writeBytes(data.toByteArray());
    all.writeBytes(new byte[] {(byte) 0xab, (byte) 0xcd, (byte) 0xef});
    all.writeBytes("MaxMind.com".getBytes(StandardCharsets.US_ASCII));
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("binary_format_major_version", 2);
    metadata.put("binary_format_minor_version", 0);
    metadata.put("build_epoch", 1_764_590_400L);
    metadata.put("database_type", "Testkit-ASN");
    metadata.put("description", Map.of("en", "made by a test"));
    metadata.put("ip_version", 6);
    metadata.put("languages", List.of("en"));
    metadata.put("node_count", (long) nodes.size());
    metadata.put("record_size", 24);
    all.writeBytes(value(metadata));
    try {
      Path draft = file.resolveSibling(file.getFileName() + ".draft");
      Files.write(draft, all.toByteArray());
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int pointer(int record) {
    if (record >= 0) {
      return record;
    }
    return record == EMPTY ? nodes.size() : nodes.size() + 16 + offsets.get(-2 - record);
  }

  private static int side(byte[] bits, int index) {
    return bits[index / 8] >> (7 - index % 8) & 1;
  }

  /// Texts, 16-bit numbers (as int), 32-bit ones (as long), booleans, maps and lists.
  private static byte[] value(Object value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    switch (value) {
      case String text -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        head(out, 2, bytes.length);
        out.writeBytes(bytes);
      }
      case Integer number -> {
        head(out, 5, 2);
        out.write(number >> 8);
        out.write(number);
      }
      case Long number -> {
        head(out, 6, 4);
        for (int shift = 24; shift >= 0; shift -= 8) {
          out.write((int) (number >> shift));
        }
      }
      case Boolean flag -> head(out, 14, flag ? 1 : 0);
      case Map<?, ?> map -> {
        head(out, 7, map.size());
        map.forEach(
            (name, member) -> {
              out.writeBytes(value(name));
              out.writeBytes(value(member));
            });
      }
      case List<?> list -> {
        head(out, 11, list.size());
        list.forEach(member -> out.writeBytes(value(member)));
      }
      default -> throw new IllegalArgumentException("cannot be written: " + value);
    }
    return out.toByteArray();
  }

  private static void head(ByteArrayOutputStream out, int type, int size) {
    int shown = Math.min(size, 29);
    out.write(type < 8 ? type << 5 | shown : shown);
    if (type >= 8) {
      out.write(type - 7);
    }
    if (size >= 29) {
      out.write(size - 29);
    }
  }
}
