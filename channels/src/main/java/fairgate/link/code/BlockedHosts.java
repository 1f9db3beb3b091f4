package fairgate.link.code;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hosts no link may lead to, their subdomains included: the operators' bans, and a deny-list file
/// with one host a line; other lines of it are ignored with a warning. Safe for use by any thread.
public final class BlockedHosts {
  private static final Logger LOG = LoggerFactory.getLogger(BlockedHosts.class);

  private final Set<String> banned = ConcurrentHashMap.newKeySet();
  private final @Nullable Path file;
  private volatile Set<String> denied = Set.of();
  private volatile @Nullable FileTime read;

  /// @param file the deny-list; null = none
  public BlockedHosts(@Nullable Path file) {
    this.file = file;
    refresh();
  }

  /// Whether no host at all is blocked.
  public boolean isEmpty() {
    return banned.isEmpty() && denied.isEmpty();
  }

  public boolean contains(String host) {
    if (isEmpty()) {
      return false;
    }
    for (String name = host; ; name = name.substring(name.indexOf('.') + 1)) {
      if (banned.contains(name) || denied.contains(name)) {
        return true;
      }
      if (name.indexOf('.') < 0) {
        return false;
      }
    }
  }

  /// Applies an operator's decision on a host.
  public void set(String host, boolean isBanned) {
    if (isBanned) {
      banned.add(host);
    } else {
      banned.remove(host);
    }
  }

  /// Reads the deny-list again if its file has changed; blocks. A file that cannot be read leaves
  /// the list as it was.
  public void refresh() {
    if (file == null) {
      return;
    }
    try {
      FileTime changed = Files.getLastModifiedTime(file);
      if (changed.equals(read)) {
        return;
      }
      Set<String> hosts = new HashSet<>();
      List<String> invalid = new ArrayList<>();
      for (String line : Files.readAllLines(file)) {
        String host = line.replaceFirst("#.*", "").strip();
        if (!host.isEmpty()) {
          TargetUrl.readHost(host).ifPresentOrElse(hosts::add, () -> invalid.add(host));
        }
      }
      denied = hosts;
      read = changed;
      LOG.info("Loaded the deny list; hosts={} file={}", hosts.size(), file);
      if (!invalid.isEmpty()) {
        LOG.warn(
            "Ignored lines of the deny list that are not hosts; lines={} first={} file={}",
            invalid.size(),
            invalid.getFirst(),
            file);
      }
    } catch (IOException e) {
      if (read == null) {
        LOG.warn("Could not read the deny list; file={}", file, e);
      }
    }
  }
}
