package fairgate.account;

import fairgate.account.AccountConfig.Hashing;
import fairgate.kernel.ServiceUnavailable;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.BlockPool;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator.FixedBlockPool;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Argon2id (RFC 9106) on a few threads with low priority. Calls block, so callers must be virtual
/// threads; a [Bulkhead] limits their number.
final class PasswordHasher implements AutoCloseable {
  private static final int SALT = 16;
  private static final int TAG = 32;

  private final Hashing settings;
  private final SecureRandom random;
  private final ExecutorService threads;
  private final AtomicLong runs = new AtomicLong();

  /// The memory of each hashing thread, kept: new 19 MiB for every hash would keep the garbage
  /// collector busy, and its pauses are the sale's.
  private final ThreadLocal<BlockPool> memory;

  /// The hash for comparisons with unknown names.
  private final PasswordHash nobody;

  PasswordHasher(Hashing settings, SecureRandom random) {
    this.settings = settings;
    this.random = random;
    this.memory = ThreadLocal.withInitial(() -> new FixedBlockPool(settings.memoryKib()));
    this.threads =
        new ThreadPoolExecutor(
            settings.threads(),
            settings.threads(),
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            LowPriority.threads("password-"));
    // Never computed: no password has a tag of chance.
    this.nobody =
        new PasswordHash(settings.memoryKib(), settings.iterations(), bytes(SALT), bytes(TAG));
  }

  /// The hash of a new password, with the current settings and a new salt.
  ///
  /// @param password normalized
  PasswordHash hash(String password) {
    byte[] salt = bytes(SALT);
    byte[] tag = compute(password, settings.memoryKib(), settings.iterations(), salt, TAG);
    return new PasswordHash(settings.memoryKib(), settings.iterations(), salt, tag);
  }

  /// Whether the password has this hash. Compares in constant time.
  boolean matches(String password, PasswordHash hash) {
    byte[] tag =
        compute(password, hash.memoryKib(), hash.iterations(), hash.salt(), hash.tag().length);
    return MessageDigest.isEqual(tag, hash.tag());
  }

  /// Takes as long as a comparison with the current settings, and returns false.
  boolean matchesNobody(String password) {
    var _ = matches(password, nobody);
    return false;
  }

  /// Whether the hash was made under other settings than those in force.
  boolean outdated(PasswordHash hash) {
    return hash.memoryKib() != settings.memoryKib() || hash.iterations() != settings.iterations();
  }

  long runs() {
    return runs.get();
  }

  @Override
  public void close() {
    var _ = threads.shutdownNow();
  }

  private byte[] compute(String password, int memoryKib, int iterations, byte[] salt, int length) {
    try {
      return threads.submit(() -> argon2id(password, memoryKib, iterations, salt, length)).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable("interrupted while hashing", Duration.ofSeconds(1));
    } catch (RejectedExecutionException | CancellationException e) {
      throw new ServiceUnavailable("the server is stopping", Duration.ofSeconds(5));
    } catch (ExecutionException e) {
      throw new IllegalStateException("Argon2id failed", e.getCause());
    }
  }

  private byte[] argon2id(String password, int memoryKib, int iterations, byte[] salt, int length) {
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    Argon2Parameters.Builder parameters =
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withMemoryAsKB(memoryKib)
            .withIterations(iterations)
            .withParallelism(1)
            .withSalt(salt);
    // A hash made under other settings has memory of another size, which is not worth keeping.
    generator.init(
        (memoryKib == settings.memoryKib() ? parameters.withBlockPool(memory.get()) : parameters)
            .build());
    byte[] tag = new byte[length];
    int _ = generator.generateBytes(password.getBytes(StandardCharsets.UTF_8), tag);
    runs.incrementAndGet();
    return tag;
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  /// Threads with low priority.
  ///
  /// Java's thread priorities have no effect on Linux; there, `setpriority(2)` with process 0 sets
  /// the niceness of the calling thread only. On other systems it would slow down the whole
  /// process, so these are ordinary threads there.
  static final class LowPriority {
    private static final Logger LOG = LoggerFactory.getLogger(LowPriority.class);
    private static final int PRIO_PROCESS = 0;
    private static final int SELF = 0;

    /// About a tenth of the processor time of an ordinary thread. At 19, logins take ten seconds
    /// and time out when other programs keep all processors busy.
    private static final int NICENESS = 10;

    private LowPriority() {}

    /// Makes daemon threads of the operating system.
    static ThreadFactory threads(String name) {
      ThreadFactory plain = Thread.ofPlatform().daemon().name(name, 0).factory();
      return work ->
          plain.newThread(
              () -> {
                yieldToOthers();
                work.run();
              });
    }

    // Native access is given to the launcher and the jar.
    @SuppressWarnings({
      "restricted",
      "CatchingUnchecked"
    }) // Without it logins merely cost the others more.
    private static void yieldToOthers() {
      if (!System.getProperty("os.name", "").equals("Linux")) {
        return;
      }
      try {
        Linker linker = Linker.nativeLinker();
        MethodHandle setPriority =
            linker.downcallHandle(
                linker.defaultLookup().find("setpriority").orElseThrow(),
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT));
        int result = (int) setPriority.invokeExact(PRIO_PROCESS, SELF, NICENESS);
        if (result != 0) {
          LOG.warn("Could not lower the priority of hashing threads; result={}", result);
        }
      } catch (Throwable t) {
        LOG.warn("Could not lower the priority of hashing threads", t);
      }
    }
  }

  /// A password's hash with all that is needed to compute it again, as a PHC string:
  /// `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`.
  @SuppressWarnings("ArrayRecordComponent") // Never compared as a whole.
  record PasswordHash(int memoryKib, int iterations, byte[] salt, byte[] tag) {
    /// Parameters beyond these would make checking a stored hash a weapon.
    private static final Pattern FORM =
        Pattern.compile(
            "\\$argon2id\\$v=19\\$m=(\\d{1,7}),t=(\\d{1,2}),p=1\\$([A-Za-z0-9+/]{11,86})"
                + "\\$([A-Za-z0-9+/]{22,86})");

    /// Reads a PHC string; empty when it is none of Argon2id version 19 with one lane.
    static Optional<PasswordHash> parse(String text) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches()) {
        return Optional.empty();
      }
      try {
        Base64.Decoder decoder = Base64.getDecoder();
        return Optional.of(
            new PasswordHash(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                decoder.decode(matcher.group(3)),
                decoder.decode(matcher.group(4))));
      } catch (IllegalArgumentException _) {
        return Optional.empty();
      }
    }

    String text() {
      Base64.Encoder encoder = Base64.getEncoder().withoutPadding();
      return "$argon2id$v=19$m=%d,t=%d,p=1$%s$%s"
          .formatted(
              memoryKib, iterations, encoder.encodeToString(salt), encoder.encodeToString(tag));
    }
  }
}
