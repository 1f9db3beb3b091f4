/// Tests of the files in `deploy`.
@NullMarked
package fairgate.app.packages;

import org.jspecify.annotations.NullMarked;
