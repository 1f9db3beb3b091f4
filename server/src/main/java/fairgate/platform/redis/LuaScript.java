package fairgate.platform.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// A Lua script that lies as a resource beside the class that calls it.
public final class LuaScript {
  /// Takes the fence, which is the last key, out of the script's sight.
  private static final String DROP_FENCE = "#!lua\nKEYS[#KEYS] = nil\n";

  private final String name;
  private final String source;
  private final String sha;
  private @Nullable LuaScript fenced;

  private LuaScript(String name, String source) {
    this.name = name;
    this.source = source;
    this.sha = sha1(source);
  }

  /// Loads `name` from the owner's package. Fails at class loading when the resource is missing or
  /// does not start with `#!lua`, without which Redis lets undeclared keys of other slots pass.
  public static LuaScript load(Class<?> owner, String name) {
    try (InputStream in = owner.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("no script " + name + " beside " + owner.getName());
      }
      String source = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      if (!source.startsWith("#!lua")) {
        throw new IllegalStateException(name + " does not start with #!lua");
      }
      return new LuaScript(name, source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The resource's name, for logs and metrics.
  public String name() {
    return name;
  }

  String source() {
    return source;
  }

  String sha() {
    return sha;
  }

  /// The same script for calls that name one more key, the fence, behind all others.
  LuaScript fenced() {
    synchronized (this) {
      if (fenced == null) {
        fenced = new LuaScript(name, DROP_FENCE + source.substring(source.indexOf('\n') + 1));
      }
      return fenced;
    }
  }

  private static String sha1(String text) {
    try {
      // SHA-1 is what EVALSHA names scripts by; nothing secret depends on it.
      byte[] hash =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-1 is missing from this Java", e);
    }
  }
}
