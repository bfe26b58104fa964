/// What a shell reads to complete the command lines of a program. The scripts know no command: they ask the program (`--complete`), so that they are
/// never older than that. Nothing of an answer is evaluated.
package enum CompletionScript: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// The script for a program of this name, which is looked up in `PATH`.
    package func text(for program: String) -> String {
        switch self {
        case .bash: Self.bashText(program)
        case .zsh: Self.zshText(program)
        case .fish: Self.fishText(program)
        }
    }

    /// Readline breaks words at some characters of COMP_WORDBREAKS, `=` and `:` among them, and replaces only what stands behind the last of these: so words are
    /// put together again, and of the answer that part is left out which stays.
    private static func bashText(_ program: String) -> String {
        #"""
        # bash completion for \#(program)
        _\#(program)() {
            local rest=${COMP_LINE:0:COMP_POINT} words=() kept='' index word kind name
            for ((index = 0; index <= COMP_CWORD; index++)); do
                word=${COMP_WORDS[index]}
                if [[ -n $word && $rest != [[:space:]]* && index -gt 0 ]]; then
                    kept=${words[-1]}
                    words[-1]+=${word:0:${#rest}}
                else
                    rest=${rest#"${rest%%[![:space:]]*}"}
                    kept=
                    words+=("${word:0:${#rest}}")
                fi
                [[ $word == [=:] ]] && kept=${words[-1]}
                rest=${rest:${#word}}
            done
            words=("${words[@]//[\\\'\"]/}")
            COMPREPLY=()
            {
                read -r kind
                case $kind in
                    files)
                        compopt -o filenames
                        mapfile -t COMPREPLY < <(compgen -f -- "${words[-1]#"$kept"}")
                        ;;
                    folders)
                        compopt -o filenames
                        mapfile -t COMPREPLY < <(compgen -d -- "${words[-1]#"$kept"}")
                        ;;
                    words)
                        while IFS=$'\t' read -r name _; do
                            COMPREPLY+=("${name#"$kept"}")
                        done
                        ;;
                esac
            } < <(command \#(program) --complete -- "${words[@]:1}" 2>/dev/null)
        }
        complete -F _\#(program) \#(program)

        """#
    }

    private static func zshText(_ program: String) -> String {
        #"""
        #compdef \#(program)
        _\#(program)() {
            local -a lines
            local kind
            lines=("${(@f)$(command \#(program) --complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
            kind=$lines[1]
            shift lines
            [[ $kind != words && $PREFIX == --*=* ]] && compset -P '*='
            case $kind in
                files) _files ;;
                folders) _files -/ ;;
                words)
                    lines=("${(@)lines//:/\\:}")
                    lines=("${(@)lines/$'\t'/:}")
                    _describe -V \#(program) lines
                    ;;
            esac
        }
        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
            _\#(program) "$@"
        else
            compdef _\#(program) \#(program)
        fi

        """#
    }

    private static func fishText(_ program: String) -> String {
        #"""
        # fish completion for \#(program)
        function __\#(program)_complete
            set --local current (commandline --current-token --cut-at-cursor)
            set --local before (commandline --tokenize --cut-at-cursor --current-process)
            set --local lines (command \#(program) --complete -- $before[2..-1] $current 2>/dev/null)
            set --local kind $lines[1]
            set --erase lines[1]
            set --local kept (string match --regex --groups-only -- '^(--[^=]*=)' $current)
            set --local path (string replace --regex -- '^--[^=]*=' '' $current)
            switch "$kind"
                case words
                    printf '%s\n' $lines
                case files
                    printf '%s\n' "$kept"(__fish_complete_path $path)
                case folders
                    printf '%s\n' "$kept"(__fish_complete_directories $path '')
            end
        end
        complete --command \#(program) --no-files --keep-order --arguments '(__\#(program)_complete)'

        """#
    }
}
