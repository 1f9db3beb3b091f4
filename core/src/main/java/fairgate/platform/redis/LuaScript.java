package fairgate.platform.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// A Lua script, loaded from a resource beside the class that calls it.
public final class LuaScript {
  /// Removes the fence, the last key, before the script runs: see [ClusterConnection].
  private static final String DROP_FENCE = "#!lua\nKEYS[#KEYS] = nil\n";

  /// The include of scripts that write to an outbox. It makes a script durable: its reply waits for
  /// the replicas that the settings ask for.
  private static final String OUTBOX = "/outbox.lua\n";

  /// Marks a line that is replaced by a shared part.
  private static final String INCLUDE = "--@include ";

  private final String name;
  private final String source;
  private final String sha;
  private final boolean durable;
  private @Nullable LuaScript fenced;

  private LuaScript(String name, String source, boolean durable) {
    this.name = name;
    this.source = source;
    this.durable = durable;
    this.sha = sha1(source);
  }

  /// Loads `name` from the owner's package. Throws IllegalStateException when the resource is
  /// missing or does not start with `#!lua`; without that line Redis allows undeclared keys of
  /// other slots.
  public static LuaScript load(Class<?> owner, String name) {
    try (InputStream in = owner.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("no script " + name + " beside " + owner.getName());
      }
      String source = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      if (!source.startsWith("#!lua")) {
        throw new IllegalStateException(name + " does not start with #!lua");
      }
      return new LuaScript(name, withIncludes(owner, source), source.contains(OUTBOX));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Replaces each line `--@include PATH` by that resource. The path is relative to the root of the
  /// class path. Included files cannot include others.
  private static String withIncludes(Class<?> owner, String source) throws IOException {
    StringBuilder whole = new StringBuilder(source.length());
    for (String line : source.split("\n", -1)) {
      if (line.startsWith(INCLUDE)) {
        String path = line.substring(INCLUDE.length()).strip();
        try (InputStream in = owner.getResourceAsStream("/" + path)) {
          if (in == null) {
            throw new IllegalStateException("no include " + path + " for a script of " + owner);
          }
          whole.append(new String(in.readAllBytes(), StandardCharsets.UTF_8).stripTrailing());
        }
      } else {
        whole.append(line);
      }
      whole.append('\n');
    }
    whole.setLength(whole.length() - 1);
    return whole.toString();
  }

  /// The resource's name, for logs and metrics.
  public String name() {
    return name;
  }

  /// The whole script, shared parts included.
  public String source() {
    return source;
  }

  /// Whether the script decides something that must survive the loss of a machine: it includes
  /// `outbox.lua`.
  boolean isDurable() {
    return durable;
  }

  /// The SHA-1 of the source, as used by `EVALSHA`.
  public String sha() {
    return sha;
  }

  /// The script for calls with a fence key after all other keys.
  LuaScript fenced() {
    synchronized (this) {
      if (fenced == null) {
        fenced =
            new LuaScript(name, DROP_FENCE + source.substring(source.indexOf('\n') + 1), durable);
      }
      return fenced;
    }
  }

  private static String sha1(String text) {
    try {
      // EVALSHA requires SHA-1; it protects no secret here.
      byte[] hash =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-1 is missing from this Java", e);
    }
  }
}
