/// Challenges that a browser must solve before it passes the gate. Every kind implements
/// [fairgate.gate.challenge.ChallengeProvider]. Beside them: bounded counts of recent events in
/// memory.
@NullMarked
@CheckReturnValue
package fairgate.gate.challenge;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
