package fairgate.platform.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// An exclusive lock on a folder while this process lives. The file `lock` in it contains the pid
/// of the holder.
final class DataLock implements AutoCloseable {
  /// File locks are per process, and closing any channel of the file releases them. Locks within
  /// this process are therefore tracked here, before the file is opened.
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final FileChannel channel;

  private DataLock(Path folder, FileChannel channel) {
    this.folder = folder;
    this.channel = channel;
  }

  /// @param folder an existing folder, as a real path
  /// @throws EngineFailed when another server uses it
  static DataLock take(Path folder) throws IOException {
    if (!HELD.add(folder)) {
      throw inUse(folder, "this process");
    }
    boolean taken = false;
    try {
      FileChannel channel = FileChannel.open(folder.resolve("lock"), CREATE, READ, WRITE);
      if (channel.tryLock() == null) {
        channel.close();
        throw inUse(folder, "process " + Files.readString(folder.resolve("lock")).strip());
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(US_ASCII)), 0);
      taken = true;
      return new DataLock(folder, channel);
    } finally {
      if (!taken) {
        HELD.remove(folder);
      }
    }
  }

  private static EngineFailed inUse(Path folder, String holder) {
    return new EngineFailed(
        "The data folder "
            + folder
            + " is in use by another Fairgate ("
            + holder
            + "). Stop that one, or give this one a folder of its own with --data.");
  }

  /// The file stays: deleting it would let two servers lock two files of the same name.
  @Override
  public void close() throws IOException {
    channel.close();
    HELD.remove(folder);
  }
}
